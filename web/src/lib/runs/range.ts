// SPDX-License-Identifier: Apache-2.0
// Which part of the plane a chart shows: all of x, and of y what its lines reach, or what they reach without outliers.
import type { Line } from "./points";

export type Range = readonly [number, number];

export function xRange(lines: readonly Line[], log: boolean): Range | null {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x } of lines)
    for (let i = 0; i < x.length; ++i) {
      const v = x[i] as number;
      if (v < min && (!log || v > 0)) min = v;
      if (v > max) max = v;
    }
  return min <= max ? [min, max] : null;
}

export interface RangeRules {
  readonly smoothed: boolean; // the smoothed line is what counts
  readonly raw: boolean; // the raw line is drawn behind it
  readonly outliers: boolean; // count, too
  readonly log: boolean;
}

export interface YRange {
  readonly range: Range;
  readonly least: number; // positive value
}

const SHARE = 0.05; // that counts as outliers at either end, as in TensorBoard
const MOST_SORTED = 60_000;
const ROOM = 0.05;

export function yRange(lines: readonly Line[], within: Range | null, rules: RangeRules): YRange | null {
  let [min, max, least] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  let counted = 0;
  const each = (use: (v: number) => void, ghosts: boolean): void => {
    for (const line of lines) {
      const main = rules.smoothed ? line.smoothed : line.y;
      const { x, y, low, high } = line;
      for (let i = 0; i < x.length; ++i) {
        const at = x[i] as number;
        if (!(within === null || (at >= within[0] && at <= within[1]))) continue;
        use(main[i] as number);
        if (ghosts && rules.smoothed && rules.raw) use(y[i] as number);
        if (ghosts && low && high) {
          use(low[i] as number);
          use(high[i] as number);
        }
      }
    }
  };
  each((v) => {
    if (!Number.isFinite(v) || (rules.log && v <= 0)) return;
    ++counted;
    if (v < min) min = v;
    if (v > max) max = v;
    if (v > 0 && v < least) least = v;
  }, rules.outliers);
  if (counted === 0) return null;
  if (!rules.outliers && counted > 2) {
    const every = Math.ceil(counted / MOST_SORTED);
    const values = new Float64Array(Math.ceil(counted / every));
    let [n, seen] = [0, 0];
    each((v) => {
      if (!Number.isFinite(v) || (rules.log && v <= 0)) return;
      if (seen++ % every === 0) values[n++] = v;
    }, false);
    const sorted = values.subarray(0, n).sort();
    min = sorted[Math.ceil(SHARE * (n - 1))] as number;
    max = sorted[Math.floor((1 - SHARE) * (n - 1))] as number;
    if (min > max) [min, max] = [max, min];
  }
  if (rules.log) {
    const room = (max / min) ** ROOM;
    return { range: [min / room, max * room], least };
  }
  const room = (max - min) * ROOM || Math.abs(min) * ROOM || 0.5;
  return { range: [min - room, max + room], least };
}
