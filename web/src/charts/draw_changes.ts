// SPDX-License-Identifier: Apache-2.0
// Changes as bars on both sides of a line: less to the left, more to the right, the amount and its share behind.
import { type ColumnQuantity, columnFormat, percent } from "../lib/units";
import { shortened } from "./draw_bars";
import { type Painter, segment } from "./painter";
import { type Part, rectPart } from "./parts";
import { colour } from "./theme";

export interface ChangeBar {
  readonly label: string;
  readonly title: string; // the whole name
  readonly change: number;
  readonly share: number | null; // of the whole change
  readonly certain: boolean; // more than noise
  readonly lines: readonly string[]; // further facts
  readonly open?: () => void;
}

const ROW = 26;
const BAR = 16;
const HEAD = 20;
const GAP = 6; // between a bar and its text

export const changesHeight = (rows: number): number => HEAD + rows * ROW;

export function drawChanges(
  painter: Painter,
  width: number,
  bars: readonly ChangeBar[],
  quantity: ColumnQuantity,
  sides: readonly [less: string, more: string],
): Part[] {
  const [text, muted, border] = [colour("--text"), colour("--muted"), colour("--border")];
  const most = Math.max(...bars.map((bar) => Math.abs(bar.change)), 1e-9);
  const format = columnFormat(quantity, most);
  const amount = (bar: ChangeBar): string =>
    `${bar.change > 0 ? "+" : ""}${format.text(bar.change)} ${format.unit}`.trim() +
    (bar.share === null ? "" : ` · ${percent(bar.share)}`);
  const widest = (side: (bar: ChangeBar) => boolean): number =>
    Math.max(0, ...bars.filter(side).map((bar) => painter.measure(amount(bar), 12) + GAP));
  const room = Math.min(width * 0.34, Math.max(...bars.map((bar) => painter.measure(bar.label, 12))) + 12);
  const [left, right] = [room + widest((bar) => bar.change < 0), width - widest((bar) => bar.change > 0)];
  const least = Math.max(0, ...bars.map((bar) => -bar.change));
  const greatest = Math.max(0, ...bars.map((bar) => bar.change));
  const scale = Math.max(40, right - left) / (least + greatest || 1);
  const zero = Math.round(left + least * scale) + 0.5;
  if (least > 0) painter.text(zero - GAP, HEAD / 2, `← ${sides[0]}`, { fill: muted, align: "right" });
  if (greatest > 0) painter.text(zero + GAP, HEAD / 2, `${sides[1]} →`, { fill: muted });
  segment(painter, [zero, 0, zero, changesHeight(bars.length)], border);
  return bars.map((bar, i) => {
    const y = HEAD + i * ROW + (ROW - BAR) / 2;
    const long = Math.max(1, Math.abs(bar.change) * scale);
    const x = bar.change < 0 ? zero - long : zero;
    painter.text(room - 8, y + BAR / 2, shortened(painter, bar.label, room - 8), {
      fill: text,
      align: "right",
      size: 12,
    });
    painter.rect(x, y, long, BAR, colour(bar.certain ? (bar.change < 0 ? "--good" : "--bad") : "--c-other"));
    painter.text(bar.change < 0 ? x - GAP : x + long + GAP, y + BAR / 2, amount(bar), {
      fill: muted,
      align: bar.change < 0 ? "right" : "left",
      size: 12,
    });
    return rectPart(0, y - 4, width, BAR + 8, [bar.title, amount(bar), ...bar.lines], {
      ...(bar.open === undefined ? {} : { open: bar.open }),
    });
  });
}
