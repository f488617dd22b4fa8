// SPDX-License-Identifier: Apache-2.0
// What lies over the lines of a chart, on a canvas of its own: what is being marked, the line that is lit, the crosshair and
// the points at it.
import { colour } from "../../../charts/theme";
import { pixelAt } from "../../../lib/runs/axis";
import { inOrder, readings } from "../../../lib/runs/legend";
import { type Line, nearest } from "../../../lib/runs/points";
import { crosshair, lit } from "./crosshair";
import type { PlotAxes } from "./curve_plot";
import type { ShownLine } from "./shown_lines";

function light(c: CanvasRenderingContext2D, line: Line, ys: Float64Array, axes: PlotAxes): void {
  c.save();
  c.beginPath();
  const { left, top, right, bottom } = axes.box;
  c.rect(left, top, right - left, bottom - top);
  c.clip();
  c.beginPath();
  let open = false;
  for (let i = 0; i < ys.length; ++i) {
    const [x, y] = [pixelAt(axes.x, line.x[i] as number), pixelAt(axes.y, ys[i] as number)];
    if (!Number.isFinite(x) || !Number.isFinite(y)) open = false;
    else if (open) c.lineTo(x, y);
    else {
      c.moveTo(x, y);
      open = true;
    }
  }
  c.stroke();
  c.restore();
}

// The canvas, empty, in the size of the chart.
export function prepared(
  element: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  if (element === null || width <= 0) return null;
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (element.width !== w || element.height !== h) {
    element.width = w;
    element.height = h;
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
  }
  const c = element.getContext("2d");
  c?.setTransform(ratio, 0, 0, ratio, 0, 0);
  c?.clearRect(0, 0, width, height);
  return c;
}

const MOST_DOTS = 100; // lines whose points are marked
const NEAREST = 12; // of more lines

export interface Mark {
  readonly a: number;
  readonly b: number;
  readonly vertical: boolean;
}

export function drawOverlay(
  c: CanvasRenderingContext2D,
  axes: PlotAxes,
  shown: readonly ShownLine[],
  mark: Mark | null,
  id: string,
  smoothed: boolean,
): void {
  const { box } = axes;
  if (mark !== null) {
    c.fillStyle = colour("--accent");
    c.globalAlpha = 0.15;
    const [a, b] = [Math.min(mark.a, mark.b), Math.max(mark.a, mark.b)];
    if (mark.vertical) c.fillRect(box.left, a, box.right - box.left, b - a);
    else c.fillRect(a, box.top, b - a, box.bottom - box.top);
    c.globalAlpha = 1;
  }
  const bright = lit.peek();
  if (bright !== null)
    for (const one of shown) {
      if (one.owner !== bright) continue;
      c.strokeStyle = one.look.colour;
      c.lineWidth = 2.5;
      light(c, one.line, smoothed ? one.line.smoothed : one.line.y, axes);
    }
  const cross = crosshair.peek();
  if (cross === null) return;
  const at = pixelAt(axes.x, cross.x);
  if (!(at >= box.left - 1 && at <= box.right + 1)) return;
  c.fillStyle = colour("--muted");
  c.fillRect(Math.round(at), box.top, 1, box.bottom - box.top);
  if (shown.length > MOST_DOTS && cross.chart !== id) return;
  for (const { line, look } of shown.length > MOST_DOTS
    ? closest(shown, cross.x, cross.y, smoothed)
    : shown) {
    const point = nearest(line, cross.x);
    if (point < 0) continue;
    const y = pixelAt(axes.y, (smoothed ? line.smoothed : line.y)[point] as number);
    if (!(y >= box.top - 2 && y <= box.bottom + 2)) continue;
    c.fillStyle = look.colour;
    c.fillRect(Math.round(pixelAt(axes.x, line.x[point] as number)) - 2, Math.round(y) - 2, 5, 5);
  }
}

// The lines nearest to the pointer.
function closest(
  shown: readonly ShownLine[],
  x: number,
  y: number | null,
  smoothed: boolean,
): readonly ShownLine[] {
  const list = readings(
    shown.map(({ line }) => line),
    [],
    x,
    smoothed,
  );
  return inOrder(list, "nearest", y)
    .slice(0, NEAREST)
    .map(({ line }) => shown[line] as ShownLine);
}
