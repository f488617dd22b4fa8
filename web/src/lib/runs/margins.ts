// SPDX-License-Identifier: Apache-2.0
// A value with its margins, each logged as a tag of its own (custom scalars): one line with a band.
import type { Line } from "./points";

export interface Margin {
  readonly value: string; // tags
  readonly lower: string;
  readonly upper: string;
}

// What a line has at each x of another one: between two points what lies between their values; NaN before its first
// point, behind its last and where it has a gap. Both rise.
export function valuesAt(line: Pick<Line, "x">, ys: Float64Array, xs: Float64Array): Float64Array {
  const values = new Float64Array(xs.length).fill(Number.NaN);
  let next = 0; // the first point at or behind x
  for (let i = 0; i < xs.length; ++i) {
    const at = xs[i] as number;
    if (Number.isNaN(at)) continue;
    while (next < line.x.length && !((line.x[next] as number) >= at)) ++next;
    if (next === line.x.length) break;
    const [x1, y1] = [line.x[next] as number, ys[next] as number];
    if (x1 === at) values[i] = y1;
    else if (next > 0) {
      const [x0, y0] = [line.x[next - 1] as number, ys[next - 1] as number];
      values[i] = y0 + ((y1 - y0) * (at - x0)) / (x1 - x0);
    }
  }
  return values;
}

// The lines of values, with bands where both margins of the same run are there; those of margins alone are gone. Lines of
// tags that no margin names stay as they are. `tagOf` names the tag of a line.
export function withMargins(
  lines: readonly Line[],
  margins: readonly Margin[],
  tagOf: (line: Line) => string,
): readonly Line[] {
  const values = new Map(margins.map((margin) => [margin.value, margin]));
  const edges = new Set(margins.flatMap(({ lower, upper }) => [lower, upper]));
  const find = (tag: string, run: number): Line | undefined =>
    lines.find((line) => line.run === run && tagOf(line) === tag);
  return lines.flatMap((line): readonly Line[] => {
    const tag = tagOf(line);
    const margin = values.get(tag);
    if (margin === undefined) return edges.has(tag) ? [] : [line];
    const [lower, upper] = [find(margin.lower, line.run), find(margin.upper, line.run)];
    if (!lower?.rising || !upper?.rising || !line.rising) return [line];
    return [
      {
        ...line,
        low: valuesAt(lower, lower.smoothed, line.x),
        high: valuesAt(upper, upper.smoothed, line.x),
      },
    ];
  });
}
