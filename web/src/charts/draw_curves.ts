// SPDX-License-Identifier: Apache-2.0
// Curves for a file: steps from point to point, as the page shows them.
import { linearScale } from "../lib/scale";
import { type ColumnQuantity, columnFormat } from "../lib/units";
import { type Painter, segment } from "./painter";
import { colour } from "./theme";

export interface CurveSeries {
  readonly title: string;
  readonly color: string; // a token's name
  readonly values: readonly (number | null)[];
  readonly filled?: boolean;
  readonly stacked?: boolean; // values are already sums
  readonly thin?: boolean;
}
export interface CurveData {
  readonly x: readonly number[]; // in order; ns from the beginning, unless xQuantity says otherwise
  readonly xQuantity?: ColumnQuantity;
  readonly straight?: boolean; // from point to point, instead of steps
  readonly series: readonly CurveSeries[];
  readonly quantity: ColumnQuantity;
}

export function drawCurves(painter: Painter, width: number, height: number, data: CurveData): void {
  const [muted, border, text] = [colour("--muted"), colour("--border"), colour("--text")];
  const most = Math.max(
    1,
    ...data.series.map((s) => s.values.reduce<number>((m, v) => Math.max(m, v ?? 0), 0)),
  );
  const [first, last] = [data.x[0] ?? 0, data.x[data.x.length - 1] ?? 1];
  const x = linearScale([first, last], [84, width - 12], 8);
  const y = linearScale([0, most * 1.05], [height - 46, 10], 6);
  const [fx, fy] = [columnFormat(data.xQuantity ?? "time", last), columnFormat(data.quantity, most)];
  for (const tick of y.ticks) {
    segment(painter, [84, y.at(tick), width - 12, y.at(tick)], border);
    painter.text(78, y.at(tick), `${fy.text(tick)} ${fy.unit}`, { fill: muted, align: "right" });
  }
  for (const tick of x.ticks)
    painter.text(x.at(tick), height - 34, `${fx.text(tick)} ${fx.unit}`, { fill: muted, align: "center" });
  let at = 84;
  for (const s of data.series) {
    const points: [number, number][] = [];
    s.values.forEach((value, i) => {
      if (value === null) return;
      const px = x.at(data.x[i] as number);
      const before = points[points.length - 1];
      if (before && !data.straight) points.push([px, before[1]]);
      points.push([px, y.at(value)]);
    });
    painter.line(points, colour(s.color), 1.5);
    painter.rect(at, height - 17, 10, 10, colour(s.color));
    painter.text(at + 15, height - 12, s.title, { fill: text });
    at += painter.measure(s.title) + 34;
  }
}
