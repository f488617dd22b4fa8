// SPDX-License-Identifier: Apache-2.0
// Rows of stacked bars on one axis: names on the left, totals on the right, every piece a part.
import { axisTicks, linearScale } from "../lib/scale";
import { shortenMiddle, visible } from "../lib/text";
import { type ColumnQuantity, columnFormat } from "../lib/units";
import { type Painter, segment } from "./painter";
import { type Part, rectPart } from "./parts";
import { colour } from "./theme";

export interface Segment {
  readonly key: string; // same key, same colour; lit together
  readonly title: string;
  readonly value: number;
  readonly color: string; // a token's name: "--c-kernel"
  readonly lines?: readonly string[]; // further facts
  readonly open?: () => void;
}

export interface BarRow {
  readonly label: string;
  readonly segments: readonly Segment[];
}

export const BAR_ROW = 28;
const BAR = 20;
const AXIS = 24;

export const barsHeight = (rows: number): number => rows * BAR_ROW + AXIS;

export function drawBars(
  painter: Painter,
  width: number,
  rows: readonly BarRow[],
  quantity: ColumnQuantity,
): Part[] {
  const text = colour("--text");
  const muted = colour("--muted");
  const border = colour("--border");
  const sums = rows.map((row) => row.segments.reduce((sum, s) => sum + s.value, 0));
  const most = Math.max(...sums, 1e-9);
  const format = columnFormat(quantity, most);
  const room = Math.min(
    width * 0.3,
    Math.max(...rows.map((r) => painter.measure(visible(shortenMiddle(r.label, 60)), 12))) + 12,
  );
  const right = painter.measure(`${format.text(most)} ${format.unit}`, 12) + 14;
  const scale = linearScale([0, most], [room, Math.max(room + 20, width - right)]);
  const bottom = rows.length * BAR_ROW;
  for (const tick of axisTicks(quantity, most, Math.max(2, Math.floor((width - room) / 110)))) {
    const x = Math.round(scale.at(tick.value)) + 0.5;
    segment(painter, [x, 0, x, bottom + 4], border);
    painter.text(x, bottom + 14, tick.text, { fill: muted, align: "center" });
  }
  const parts: Part[] = [];
  rows.forEach((row, i) => {
    const y = i * BAR_ROW + (BAR_ROW - BAR) / 2;
    painter.text(room - 8, y + BAR / 2, shortened(painter, row.label, room - 8), {
      fill: text,
      align: "right",
      size: 12,
    });
    let at = 0;
    for (const segment of row.segments) {
      if (segment.value <= 0) continue;
      const x0 = scale.at(at);
      at += segment.value;
      const w = Math.max(0.75, scale.at(at) - x0);
      painter.rect(x0, y, w > 3 ? w - 1 : w, BAR, colour(segment.color));
      const share = segment.value / (sums[i] || 1);
      const exact = `${format.text(segment.value)} ${format.unit}`.trim();
      parts.push(
        rectPart(
          x0,
          y,
          Math.max(2, w),
          BAR,
          [
            segment.title,
            `${visible(row.label)}: ${exact}, ${(share * 100).toFixed(1)} %`,
            ...(segment.lines ?? []),
          ],
          { group: segment.key, ...(segment.open === undefined ? {} : { open: segment.open }) },
        ),
      );
    }
    painter.text(scale.at(at) + 6, y + BAR / 2, `${format.text(sums[i] ?? 0)} ${format.unit}`, {
      fill: muted,
      size: 12,
    });
  });
  return parts;
}

export function shortened(painter: Painter, label: string, room: number): string {
  for (let length = Math.min(label.length, 60); length > 4; length--) {
    const short = visible(shortenMiddle(label, length));
    if (painter.measure(short, 12) <= room) return short;
  }
  return visible(shortenMiddle(label, 4));
}
