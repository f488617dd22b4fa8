// SPDX-License-Identifier: Apache-2.0
// The lines of a chart: what is asked for, and how each line that came looks.
import type { PointsRequest, Run } from "../../../api/runs";
import { nthColour } from "../../../lib/runs/colours";
import { type CurveView, type Group, widthFor } from "../../../lib/runs/curve_view";
import { type Margin, withMargins } from "../../../lib/runs/margins";
import { shortNumber } from "../../../lib/runs/numbers";
import type { Line } from "../../../lib/runs/points";
import type { LinesRequest } from "./curve_lines";
import type { PlotSeries } from "./curve_plot";
import { colourOf } from "./run_link";

// What a chart is made of.
export interface ChartOf {
  readonly tags: readonly string[];
  readonly runs: readonly Run[];
  readonly groups: readonly Group<Run>[] | null;
}

export interface ShownLine {
  readonly line: Line;
  readonly look: PlotSeries;
  readonly owner: string; // run or group
  readonly tag: string;
}

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

export function requestOf({ tags, runs, groups }: ChartOf, view: CurveView, width: number): LinesRequest {
  const charts =
    groups === null
      ? tags.map((tag) => ({ tag, runs: runs.map((run) => run.id) }))
      : tags.flatMap((tag) => groups.map(({ members }) => ({ tag, runs: members.map((run) => run.id) })));
  const lines = groups === null ? runs.length * tags.length : charts.length;
  const body: PointsRequest = {
    x: view.x,
    from: view.zoom?.[0] ?? null,
    to: view.zoom?.[1] ?? null,
    width: widthFor(width, lines),
    smoothing: view.smoothing,
    hide_overwritten: !view.overwritten,
    charts,
    ...(groups === null ? {} : { group: { by: "all", band: view.band } as const }),
  };
  return { key: JSON.stringify(body), body };
}

// `charts`: what was asked for.
export function shownLines(
  lines: readonly Line[],
  { tags, runs, groups }: ChartOf,
  charts: PointsRequest["charts"],
  margins: readonly Margin[] | undefined,
  isDark: boolean,
): readonly ShownLine[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const drawn = margins ? withMargins(lines, margins, ({ chart }) => charts[chart]?.tag ?? "") : lines;
  return drawn.flatMap((line): readonly ShownLine[] => {
    const chart = charts[line.chart];
    if (chart === undefined) return [];
    const tagIndex = groups === null ? line.chart : Math.floor(line.chart / groups.length);
    const tag = tags[tagIndex] ?? "";
    const dash = DASHES[tagIndex % DASHES.length] ?? [];
    const of = tags.length > 1 ? ` · ${tag}` : "";
    if (groups !== null) {
      const at = line.chart % groups.length;
      const name = groups[at]?.name ?? "";
      return [
        { line, owner: name, tag, look: { name: `${name}${of}`, colour: nthColour(at, isDark), dash } },
      ];
    }
    const run = byId.get(chart.runs[line.run] ?? "");
    if (run === undefined) return [];
    // One run alone: its tags have the colours.
    const alone = runs.length === 1;
    const colour = alone && tags.length > 1 ? nthColour(tagIndex, isDark) : colourOf(run);
    const look = { name: `${run.title}${of}`, colour, dash: alone ? [] : dash };
    return [{ line, owner: run.id, tag, look }];
  });
}

// A sentence for who cannot see the chart. `lines` null: nothing came yet.
export function summaryOf(title: string, lines: readonly ShownLine[] | null, smoothed: boolean): string {
  if (lines === null) return `${title}: being loaded.`;
  let [count, min, max] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { line } of lines) {
    const values = smoothed ? line.smoothed : line.y;
    let i = values.length - 1;
    while (i >= 0 && !Number.isFinite(values[i])) --i;
    if (i < 0) continue;
    count += 1;
    min = Math.min(min, values[i] as number);
    max = Math.max(max, values[i] as number);
  }
  if (count === 0) return `${title}: no points.`;
  return lines.length === 1
    ? `${title}: 1 line, last value ${shortNumber(min)}.`
    : `${title}: ${lines.length} lines, last values between ${shortNumber(min)} and ${shortNumber(max)}.`;
}
