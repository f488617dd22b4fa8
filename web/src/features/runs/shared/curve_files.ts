// SPDX-License-Identifier: Apache-2.0
// A chart as a picture in a file, drawn anew with a legend: PNG at twice the size, or SVG.
import { CanvasPainter, type Painter } from "../../../charts/painter";
import { colour } from "../../../charts/theme";
import { pixelAt } from "../../../lib/runs/axis";
import { shortenMiddle, visible } from "../../../lib/text";
import { axesOf, MOST_GHOSTS, type PlotAxes, type PlotView } from "./curve_plot";
import type { ShownLine } from "./shown_lines";

const NAMED = 12; // in the legend
const LEGEND_ROW = 16;

function segments(
  x: Float64Array,
  y: Float64Array,
  axes: PlotAxes,
): readonly (readonly [number, number])[][] {
  const { box } = axes;
  const list: [number, number][][] = [];
  let open: [number, number][] | null = null;
  for (let i = 0; i < x.length; ++i) {
    const [px, py] = [pixelAt(axes.x, x[i] as number), pixelAt(axes.y, y[i] as number)];
    if (!Number.isFinite(px) || !Number.isFinite(py) || px < box.left - 1 || px > box.right + 1) {
      open = null;
      continue;
    }
    if (open === null) {
      open = [];
      list.push(open);
    }
    open.push([px, Math.max(box.top, Math.min(box.bottom, py))]);
  }
  return list;
}

export const drawCurves =
  (shown: readonly ShownLine[], view: PlotView, title: string) =>
  (painter: Painter, width: number, height: number): void => {
    const named = shown.slice(0, NAMED);
    const legend = LEGEND_ROW * (named.length + (shown.length > NAMED ? 1 : 0)) + 4;
    const lines = shown.map(({ line }) => line);
    const axes = axesOf(lines, view, width, height - legend - 20);
    painter.text(10, 12, shortenMiddle(visible(title), 110), {
      fill: colour("--text"),
      size: 13,
      bold: true,
    });
    if (axes === null) return;
    const down = 20; // below the title
    const moved = (points: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] =>
      points.map(([x, y]) => [x, y + down] as const);
    const { box } = axes;
    for (const { value, text } of axes.xTicks) {
      const at = pixelAt(axes.x, value);
      painter.line(
        moved([
          [at, box.top],
          [at, box.bottom],
        ]),
        colour("--border"),
      );
      painter.text(at, box.bottom + 12 + down, text, { fill: colour("--muted"), align: "center" });
    }
    for (const { value, text } of axes.yTicks) {
      const at = pixelAt(axes.y, value);
      painter.line(
        moved([
          [box.left, at],
          [box.right, at],
        ]),
        colour("--border"),
      );
      painter.text(box.left - 6, at + down, text, { fill: colour("--muted"), align: "right" });
    }
    const faint = (of: string): string => (of.startsWith("#") ? `${of}40` : of);
    for (const { line, look } of shown) {
      if (view.smoothed && shown.length <= MOST_GHOSTS)
        for (const part of segments(line.x, line.y, axes)) painter.line(moved(part), faint(look.colour), 1);
      for (const edge of [line.low, line.high])
        if (edge)
          for (const part of segments(line.x, edge, axes)) painter.line(moved(part), faint(look.colour), 1);
    }
    for (const { line, look } of shown)
      for (const part of segments(line.x, view.smoothed ? line.smoothed : line.y, axes))
        painter.line(moved(part), look.colour, 1.5, look.dash[0] ?? 0);
    const top = height - legend + LEGEND_ROW / 2;
    named.forEach(({ look }, i) => {
      painter.rect(box.left, top + i * LEGEND_ROW - 5, 10, 10, look.colour);
      painter.text(box.left + 16, top + i * LEGEND_ROW, shortenMiddle(visible(look.name), 110), {
        fill: colour("--text"),
      });
    });
    if (shown.length > NAMED)
      painter.text(box.left + 16, top + NAMED * LEGEND_ROW, `and ${shown.length - NAMED} more`, {
        fill: colour("--muted"),
      });
  };

export function pngOf(drawing: {
  readonly width: number;
  readonly height: number;
  readonly draw: (painter: Painter, width: number, height: number) => void;
}): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = drawing.width * 2;
  canvas.height = drawing.height * 2;
  const context = canvas.getContext("2d");
  if (context === null) return Promise.resolve(null);
  context.scale(2, 2);
  context.fillStyle = colour("--panel");
  context.fillRect(0, 0, drawing.width, drawing.height);
  drawing.draw(new CanvasPainter(context), drawing.width, drawing.height);
  return new Promise((resolve) => canvas.toBlob(resolve));
}
