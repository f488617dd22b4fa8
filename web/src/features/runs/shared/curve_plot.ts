// SPDX-License-Identifier: Apache-2.0
// Lines of one chart on a canvas, from typed arrays, in pieces (draw_queue.ts), into pixels of our own (lib/runs/raster.ts).
// Nothing is allocated for a point or a line. The finished picture replaces the old one; the first is seen as it grows.

import { FONT } from "../../../charts/painter";
import { colour } from "../../../charts/theme";
import { parseColour } from "../../../lib/colour";
import {
  type Axis,
  type AxisTick,
  axisOf,
  clockTicks,
  durationTicks,
  numberTicks,
  pixelAt,
} from "../../../lib/runs/axis";
import type { Line } from "../../../lib/runs/points";
import { type Range, type RangeRules, xRange, YFinder, type YRange, yRange } from "../../../lib/runs/range";
import { LineRaster } from "../../../lib/runs/raster";
import { type Drawable, enqueue, withdraw } from "./draw_queue";

export interface PlotSeries {
  readonly name: string;
  readonly colour: string;
  readonly dash: readonly number[]; // told apart where one run has several lines
}

export interface PlotView {
  readonly x: string;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly smoothed: boolean;
  readonly outliers: boolean;
  readonly zoom: Range | null;
  readonly zoomY: Range | null;
  readonly compact?: boolean; // without numbers at the axes
  readonly bare?: boolean; // without numbers below: several charts have one axis
  readonly fromZero?: boolean; // y begins at 0: durations, rates, shares
}

export interface PlotBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const MOST_GHOSTS = 60; // lines that have their raw points behind them: more of them would hide each other
const NO_DASH: readonly number[] = [];

export function boxOf(width: number, height: number, compact = false, bare = false): PlotBox {
  if (bare) return { left: 52, top: 6, right: width - 10, bottom: height - 5 };
  return compact
    ? { left: 2, top: 3, right: width - 2, bottom: height - 3 }
    : { left: 52, top: 8, right: width - 10, bottom: height - 22 };
}

export interface PlotAxes {
  readonly box: PlotBox;
  readonly x: Axis;
  readonly y: Axis;
  readonly xTicks: readonly AxisTick[];
  readonly yTicks: readonly AxisTick[];
}

export function ticksOfX(kind: string, axis: Axis, count: number): readonly AxisTick[] {
  return kind === "wall"
    ? clockTicks(axis, count)
    : kind === "relative"
      ? durationTicks(axis, count)
      : numberTicks(axis, count);
}

const rulesOf = (lines: readonly Line[], view: PlotView): RangeRules => ({
  smoothed: view.smoothed,
  raw: view.smoothed && lines.length <= MOST_GHOSTS,
  outliers: view.outliers,
  log: view.logY,
  fromZero: view.fromZero ?? false,
});

// Which part of the plane is seen; null: there is nothing to see. `inZoom`: what the lines reach in the zoom.
export function axesOf(
  lines: readonly Line[],
  view: PlotView,
  width: number,
  height: number,
  inZoom: YRange | null = yRange(lines, view.zoom, rulesOf(lines, view)),
): PlotAxes | null {
  const box = boxOf(width, height, view.compact, view.bare);
  const wholeX = view.zoom ?? xRange(lines, view.logX);
  if (wholeX === null) return null;
  const found = inZoom ?? (view.zoom === null ? null : yRange(lines, null, rulesOf(lines, view)));
  const allOfY = view.zoomY ?? found?.range ?? [0, 1];
  const x = axisOf(wholeX, [box.left, box.right], view.logX);
  const y = axisOf(allOfY, [box.bottom, box.top], view.logY, found?.least);
  const xTicks = ticksOfX(view.x, x, Math.max(2, Math.floor((box.right - box.left) / 92)));
  const yTicks = numberTicks(y, Math.max(2, Math.floor((box.bottom - box.top) / (view.bare ? 24 : 38))));
  return { box, x, y, xTicks, yTicks };
}

const DEVICE: CanvasRenderingContext2DSettings = { alpha: false, willReadFrequently: true }; // kept where we can write to it

// The pixels that lines are gathered in: one at a time is drawn, so charts of one size share them.
let raster = new LineRaster(1, 1);
function rasterOf(width: number, height: number): LineRaster {
  if (raster.width !== width || raster.height !== height) raster = new LineRaster(width, height);
  return raster;
}
let scratch: HTMLCanvasElement | null = null;

const rgb = new Map<string, readonly [number, number, number]>();
function rgbOf(text: string): readonly [number, number, number] {
  let value = rgb.get(text);
  if (value === undefined) {
    value = parseColour(text);
    rgb.set(text, value);
  }
  return value;
}

const APART = 0.6; // px: what is closer to the point before is not seen
const DOT = 2; // px: half of a point alone, which would be hard to see as thin as a line

// One column over another, as far as it is seen. Ends of segments, values that are none and, on a logarithmic axis,
// those that are not positive leave a gap; a point alone is a dot.
function trace(
  to: LineRaster,
  line: Line,
  ys: Float64Array,
  axes: PlotAxes,
  ratio: number,
  half: number,
  dash: readonly number[],
): void {
  const xs = line.x;
  const { x: ax, y: ay, box } = axes;
  const right = (box.right + 4) * ratio;
  const left = (box.left - 4) * ratio;
  const [kx, bx, ky, by] = [ax.k * ratio, ax.b * ratio, ay.k * ratio, ay.b * ratio];
  const dot = Math.max(half, DOT * ratio);
  let open = false;
  let alone = false; // only the first point of the segment was seen
  let px = 0;
  let py = 0;
  let along = 0; // of the dashes
  for (let i = 0; i < xs.length; ++i) {
    const vx = xs[i] as number;
    const vy = ys[i] as number;
    if (vx - vx !== 0 || vy - vy !== 0 || (ay.log && vy <= 0) || (ax.log && vx <= 0)) {
      if (open && alone) to.segment(px - dot, py, px + dot, py, dot);
      open = false;
      continue;
    }
    const nx = kx * (ax.log ? Math.log10(vx) : vx) + bx;
    const ny = ky * (ay.log ? Math.log10(vy) : vy) + by;
    if (!open) {
      open = true;
      alone = true;
      along = 0;
    } else {
      const dx = nx - px;
      const dy = ny - py;
      if (dx < APART && dx > -APART && dy < APART && dy > -APART) continue;
      if (nx >= left || px >= left) {
        if (dash.length === 0) to.segment(px, py, nx, ny, half);
        else along = dashed(to, px, py, nx, ny, half, dash, ratio, along);
      }
      alone = false;
    }
    px = nx;
    py = ny;
    if (nx > right && line.rising) break;
  }
  if (open && alone) to.segment(px - dot, py, px + dot, py, dot);
}

// A piece of a dashed line; where in the dashes it ends.
function dashed(
  to: LineRaster,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  half: number,
  dash: readonly number[],
  ratio: number,
  along: number,
): number {
  const length = Math.hypot(x1 - x0, y1 - y0);
  let period = 0;
  for (const part of dash) period += part * ratio;
  if (!(length > 0) || length > 20_000) return along;
  for (let done = 0; done < length; ) {
    let at = (along + done) % period;
    let part = 0;
    while (at >= (dash[part] as number) * ratio) at -= (dash[part++] as number) * ratio;
    const end = Math.min(length, done + Math.max(0.01, (dash[part] as number) * ratio - at));
    if (part % 2 === 0)
      to.segment(
        x0 + ((x1 - x0) * done) / length,
        y0 + ((y1 - y0) * done) / length,
        x0 + ((x1 - x0) * end) / length,
        y0 + ((y1 - y0) * end) / length,
        half,
      );
    done = end;
  }
  return (along + length) % period;
}

function band(to: LineRaster, line: Line, axes: PlotAxes, ratio: number): void {
  const { low, high, x: xs } = line;
  if (low === null || high === null) return;
  const { x: ax, y: ay } = axes;
  const at = (v: number): number =>
    (ay.k * (ay.log ? Math.log10(Math.max(v, ay.min / 10)) : v) + ay.b) * ratio;
  for (let i = 1; i < xs.length; ++i) {
    const a = pixelAt(ax, xs[i - 1] as number) * ratio;
    const b = pixelAt(ax, xs[i] as number) * ratio;
    const [l0, h0, l1, h1] = [
      low[i - 1] as number,
      high[i - 1] as number,
      low[i] as number,
      high[i] as number,
    ];
    if (Number.isFinite(a + b + l0 + h0 + l1 + h1)) to.between(a, at(l0), at(h0), b, at(l1), at(h1));
  }
}

// Values that were logged and are no number: triangles at the edge, as in TensorBoard.
function marks(c: CanvasRenderingContext2D, line: Line, axes: PlotAxes): void {
  const { x: xs, y: ys } = line;
  for (let i = 0; i < xs.length; ++i) {
    const vy = ys[i] as number;
    if (!Number.isFinite(xs[i]) || Number.isFinite(vy)) continue;
    const at = pixelAt(axes.x, xs[i] as number);
    if (at < axes.box.left || at > axes.box.right) continue;
    const down = vy === Number.NEGATIVE_INFINITY ? 1 : -1;
    const y = vy === Number.POSITIVE_INFINITY ? axes.box.top + 7 : axes.box.bottom - 1;
    c.beginPath();
    c.moveTo(at - 4, y);
    c.lineTo(at + 4, y);
    c.lineTo(at, y + 7 * down);
    c.fill();
  }
}

export class CurvePlot implements Drawable {
  axes: PlotAxes | null = null;
  private lines: readonly Line[] = [];
  private series: readonly PlotSeries[] = [];
  private view: PlotView | null = null;
  private finder: YFinder | null = null; // of what y the lines reach; null: not begun
  private looked = 0; // lines that it has seen
  private next = -1; // line that is drawn next; -1: everything is drawn
  private image: ImageData | null = null; // the picture so far; null: not begun
  private blank = true; // nothing was ever drawn
  private width = 0;
  private height = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawn: () => void,
  ) {}

  show(
    lines: readonly Line[],
    series: readonly PlotSeries[],
    view: PlotView,
    width: number,
    height: number,
  ): void {
    this.lines = lines;
    this.series = series;
    this.view = view;
    this.width = width;
    this.height = height;
    this.next = 0;
    this.image = null;
    this.finder = null;
    enqueue(this);
  }

  stop(): void {
    withdraw(this);
    this.image = null;
  }

  draw(until: number): boolean {
    const { view, width, height } = this;
    if (view === null || width <= 0 || height <= 0 || this.next < 0) return true;
    const ratio = devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.image === null) {
      const y = this.look(view, until);
      if (y === undefined) return false;
      this.axes = axesOf(this.lines, view, width, height, y);
      this.image = this.begin(w, h, ratio);
      if (this.image === null) return true;
      if (performance.now() >= until) return false;
    }
    const { axes, lines, image } = this;
    if (axes === null) return this.finish();
    const to = rasterOf(w, h);
    const { left, top, right, bottom } = axes.box;
    to.clip(left * ratio, top * ratio, right * ratio, bottom * ratio);
    const ghosts = view.smoothed && lines.length <= MOST_GHOSTS;
    const many = lines.length > 200;
    // First what lies behind: bands and raw points of all lines.
    const behind = ghosts || lines.some((line) => line.low !== null) ? lines.length : 0;
    for (; this.next < behind + lines.length; this.next++) {
      if (performance.now() >= until) {
        if (this.blank) this.copy(ratio);
        return false;
      }
      const isBehind = this.next < behind;
      const at = isBehind ? this.next : this.next - behind;
      const line = lines[at] as Line;
      const look = this.series[at];
      const [r, g, b] = rgbOf(look?.colour ?? "#808080");
      if (!isBehind) {
        const half = (many ? 0.4 : view.compact ? 0.6 : 0.75) * ratio;
        trace(to, line, view.smoothed ? line.smoothed : line.y, axes, ratio, half, look?.dash ?? NO_DASH);
        to.compose(image.data, r, g, b, many ? 0.75 : 1);
      } else if (line.low !== null) {
        band(to, line, axes, ratio);
        to.compose(image.data, r, g, b, 0.17);
      } else {
        trace(to, line, line.y, axes, ratio, 0.5 * ratio, NO_DASH);
        to.compose(image.data, r, g, b, 0.25);
      }
    }
    return this.finish();
  }

  // What y the lines reach; undefined: there was no time to look at all of them.
  private look(view: PlotView, until: number): YRange | null | undefined {
    const { lines } = this;
    if (this.finder === null) {
      this.finder = new YFinder(lines, view.zoom, rulesOf(lines, view));
      this.looked = 0;
    }
    for (; this.looked < lines.length; ++this.looked) {
      if (performance.now() >= until) return undefined;
      this.finder.add(lines[this.looked] as Line);
    }
    return this.finder.found();
  }

  // The ground with grid and numbers, as pixels.
  private begin(w: number, h: number, ratio: number): ImageData | null {
    scratch ??= document.createElement("canvas");
    if (scratch.width !== w || scratch.height !== h) {
      scratch.width = w;
      scratch.height = h;
    }
    const c = scratch.getContext("2d", DEVICE);
    if (c === null) return null;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = colour("--panel");
    c.fillRect(0, 0, this.width, this.height);
    this.frame(c);
    return c.getImageData(0, 0, w, h);
  }

  private copy(ratio: number): void {
    const { canvas, image, axes } = this;
    if (image === null) return;
    if (canvas.width !== image.width || canvas.height !== image.height) {
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${this.height}px`;
    }
    const c = canvas.getContext("2d", DEVICE);
    if (c === null) return;
    c.putImageData(image, 0, 0);
    if (axes === null) return;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.lines.forEach((line, i) => {
      if (!line.odd) return;
      c.fillStyle = this.series[i]?.colour ?? "gray";
      marks(c, line, axes);
    });
  }

  private finish(): boolean {
    this.copy(devicePixelRatio || 1);
    this.blank = false;
    this.image = null;
    this.next = -1;
    this.drawn();
    return true;
  }

  private frame(c: CanvasRenderingContext2D): void {
    const { axes, view } = this;
    if (axes === null || view?.compact) return;
    const { box, x, y, xTicks, yTicks } = axes;
    c.strokeStyle = colour("--border");
    c.lineWidth = 1;
    c.beginPath();
    for (const { value } of xTicks) {
      const at = Math.round(pixelAt(x, value)) + 0.5;
      c.moveTo(at, box.top);
      c.lineTo(at, box.bottom);
    }
    for (const { value } of yTicks) {
      const at = Math.round(pixelAt(y, value)) + 0.5;
      c.moveTo(box.left, at);
      c.lineTo(box.right, at);
    }
    c.stroke();
    c.fillStyle = colour("--muted");
    c.font = `11px ${FONT}`;
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (const { value, text } of yTicks) c.fillText(text, box.left - 6, pixelAt(y, value));
    if (view?.bare) return;
    c.textAlign = "center";
    let end = Number.NEGATIVE_INFINITY;
    for (const { value, text } of xTicks) {
      const half = c.measureText(text).width / 2;
      const at = Math.min(pixelAt(x, value), this.width - half - 2);
      if (text === "" || at - half < end + 6) continue;
      c.fillText(text, at, box.bottom + 12);
      end = at + half;
    }
  }
}
