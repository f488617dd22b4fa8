// SPDX-License-Identifier: Apache-2.0
// Which part of the plane a chart shows: all of x, and of y what its lines reach, or what they reach without outliers.
import type { Line } from "./points";

export type Range = readonly [number, number];

export function xRange(lines: readonly Line[], log: boolean): Range | null {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, rising } of lines) {
    let last = x.length - 1;
    while (last >= 0 && Number.isNaN(x[last])) --last;
    // Of what rises, the first one that counts and the last one say it all.
    for (let i = 0; i <= last; ++i) {
      const v = x[i] as number;
      if (v < min && (!log || v > 0)) min = v;
      if (v > max) max = v;
      if (rising && (log ? v > 0 : !Number.isNaN(v))) break;
    }
    if (last >= 0 && (x[last] as number) > max) max = x[last] as number;
  }
  return min <= max ? [min, max] : null;
}

export interface RangeRules {
  readonly smoothed: boolean; // the smoothed line is what counts
  readonly raw: boolean; // the raw line is drawn behind it
  readonly outliers: boolean; // count, too
  readonly log: boolean;
  readonly fromZero?: boolean; // an amount: half as high is half as much
}

export interface YRange {
  readonly range: Range;
  readonly least: number; // positive value
}

const SHARE = 0.05; // that counts as outliers at either end, as in TensorBoard
const MOST_SORTED = 60_000;
const ROOM = 0.05;

// Looks at one line after the other, so that who has many can stop in between.
export class YFinder {
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;
  private least = Number.POSITIVE_INFINITY;
  private readonly values: Float64Array | null; // for outliers: all, or every so many
  private readonly every: number;
  private kept = 0;
  private seen = 0;

  constructor(
    lines: readonly Line[],
    private readonly within: Range | null,
    private readonly rules: RangeRules,
  ) {
    const points = lines.reduce((sum, { x }) => sum + x.length, 0);
    this.every = Math.max(1, Math.ceil(points / MOST_SORTED));
    this.values = rules.outliers ? null : new Float64Array(Math.ceil(points / this.every));
  }

  add(line: Line): void {
    const { rules, values } = this;
    const main = rules.smoothed ? line.smoothed : line.y;
    this.column(line, main);
    if (values !== null) return;
    if (rules.smoothed && rules.raw) this.column(line, line.y);
    if (line.low && line.high) {
      this.column(line, line.low);
      this.column(line, line.high);
    }
  }

  private column({ x }: Line, ys: Float64Array): void {
    const { values, every } = this;
    const log = this.rules.log;
    const [from, to] = this.within ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    let { min, max, least } = this;
    for (let i = 0; i < ys.length; ++i) {
      const at = x[i] as number;
      const v = ys[i] as number;
      if (!(at >= from && at <= to) || v - v !== 0 || (log && v <= 0)) continue;
      if (v < min) min = v;
      if (v > max) max = v;
      if (v > 0 && v < least) least = v;
      if (values !== null && this.seen++ % every === 0) values[this.kept++] = v;
    }
    this.min = min;
    this.max = max;
    this.least = least;
  }

  // null: no line has a value there.
  found(): YRange | null {
    let { min, max } = this;
    const { values, least, rules } = this;
    if (min > max) return null;
    const n = this.kept;
    if (values !== null && n > 2) {
      const sorted = values.subarray(0, n).sort();
      min = sorted[Math.ceil(SHARE * (n - 1))] as number;
      max = sorted[Math.floor((1 - SHARE) * (n - 1))] as number;
      if (min > max) [min, max] = [max, min];
    }
    if (rules.log) {
      const room = (max / min) ** ROOM;
      return { range: [min / room, max * room], least };
    }
    if (rules.fromZero && min >= 0) return { range: [0, max * (1 + ROOM) || 1], least };
    const room = (max - min) * ROOM || Math.abs(min) * ROOM || 0.5;
    return { range: [min - room, max + room], least };
  }
}

export function yRange(lines: readonly Line[], within: Range | null, rules: RangeRules): YRange | null {
  const finder = new YFinder(lines, within, rules);
  for (const line of lines) finder.add(line);
  return finder.found();
}
