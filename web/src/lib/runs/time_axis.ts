// SPDX-License-Identifier: Apache-2.0
// One axis of time for pictures below each other: which stretch is seen, where a moment stands, and how it is zoomed.
// Seconds since 1970.
import { type Line, nearest } from "./points";

export type Stretch = readonly [number, number];

// As curve_plot.ts has it.
export const LEFT = 52;
export const RIGHT = 10;

export const LEAST_S = 0.05; // nobody sees more by zooming farther

// Of a run that took no time at all, a second around it.
export function wholeOf(from: number | null, to: number | null): Stretch | null {
  if (from === null || to === null || !Number.isFinite(from + to)) return null;
  return to - from >= LEAST_S ? [from, to] : [from - 0.5, from + 0.5];
}

// "from-to" in milliseconds, as the address has it.
export function stretchOf(param: string | undefined): Stretch | null {
  const found = /^(\d+)-(\d+)$/.exec(param ?? "");
  if (found === null) return null;
  const [from, to] = [Number(found[1]) / 1000, Number(found[2]) / 1000];
  return to - from >= LEAST_S ? [from, to] : null;
}
export const stretchText = ([from, to]: Stretch): string =>
  `${Math.round(from * 1000)}-${Math.round(to * 1000)}`;

export const xOf = ([from, to]: Stretch, width: number, at: number): number =>
  LEFT + ((at - from) / (to - from)) * (width - LEFT - RIGHT);
export const timeOf = ([from, to]: Stretch, width: number, x: number): number =>
  from + (Math.max(0, Math.min(width - LEFT - RIGHT, x - LEFT)) / (width - LEFT - RIGHT)) * (to - from);

// Around a moment, within the whole; null: that is all of it.
export function zoomed(seen: Stretch, whole: Stretch, at: number, factor: number): Stretch | null {
  const length = Math.max(LEAST_S, (seen[1] - seen[0]) * factor);
  const share = (at - seen[0]) / (seen[1] - seen[0]);
  const from = Math.max(whole[0], Math.min(whole[1] - length, at - share * length));
  if (length >= whole[1] - whole[0]) return null;
  return [from, from + length];
}
export function moved(seen: Stretch, whole: Stretch, by: number): Stretch {
  const shift = Math.max(whole[0] - seen[0], Math.min(whole[1] - seen[1], by * (seen[1] - seen[0])));
  return [seen[0] + shift, seen[1] + shift];
}

// In another unit.
export function scaled(line: Line, divisor: number): Line {
  if (divisor === 1) return line;
  const divide = (column: Float64Array): Float64Array => column.map((value) => value / divisor);
  return { ...line, y: divide(line.y), smoothed: divide(line.smoothed) };
}

// What a line has at a moment, if it has a point near it; null: it was not measured then.
export function readingAt(line: Line, at: number, near: number): { value: number; step: number } | null {
  const i = nearest(line, at);
  if (i < 0 || Math.abs((line.x[i] as number) - at) > near) return null;
  return { value: line.y[i] as number, step: line.step[i] as number };
}
