// SPDX-License-Identifier: Apache-2.0
// Draws the tracks: only those in sight, each from the best data held and, where that ends, from the coarse data
// of the whole trace. Nothing is allocated in a frame.
import { type Item, isCurve, type Track } from "../lib/timeline_layout";
import type { CurveSlice, SpanSlice } from "../lib/timeline_slices";
import { AXIS_HEIGHT, AxisPainter } from "./axis_painter";
import { type CurveArea, type CurveScale, paintCurve, scaleOf } from "./curve_painter";
import type { Palette } from "./palette";
import { GROUP_INSET, ROW_INSET, type Scene, topOf } from "./scene";
import { SpanPainter } from "./span_painter";
import type { Surface } from "./surface";

// Told of each row drawn, and by what, if someone asks (tests do).
export type RowListener = (track: number, depth: number, y: number, height: number) => void;

export class Renderer {
  readonly scrolled = new SpanPainter();
  readonly pinned = new SpanPainter();
  readonly axis = new AxisPainter();
  boxes = 0; // drawn in the last frame
  onRow: RowListener | null = null;
  private readonly scales = new WeakMap<CurveSlice, CurveScale>();
  private readonly curveArea: CurveArea = {
    pixels: new Uint32Array(0),
    offset: 0,
    width: 0,
    height: 0,
    origin: 0,
    scale: 1,
    ratio: 1,
    line: 0,
    area: 0,
  };

  constructor(private readonly surface: Surface) {}

  draw(scene: Scene, palette: Palette): void {
    const { context, width, height, ratio } = this.surface;
    const { viewport, arranged } = scene;
    this.boxes = 0;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, width * ratio, height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.outside(scene, palette);
    const bottom = AXIS_HEIGHT + arranged.pinnedHeight + arranged.height - scene.scroll;
    this.axis.grid(context, viewport, scene.zero, Math.min(height, bottom), palette);
    this.backgrounds(scene, palette, arranged.items, false);
    context.setTransform(1, 0, 0, 1, 0, 0);
    this.area(scene, palette, arranged.items, false);
    if (arranged.pinnedHeight > 0) {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = palette.raised;
      context.fillRect(0, AXIS_HEIGHT, width, arranged.pinnedHeight);
      context.fillStyle = palette.muted;
      context.fillRect(0, AXIS_HEIGHT + arranged.pinnedHeight - 1, width, 1);
      context.setTransform(1, 0, 0, 1, 0, 0);
      this.area(scene, palette, arranged.pinned, true);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.axis.axis(context, viewport, scene.zero, palette);
  }

  // Before the first event and after the last there is nothing, which is not the same as idle.
  private outside(scene: Scene, palette: Palette): void {
    const { context, width, height } = this.surface;
    const left = scene.viewport.x(0);
    const right = scene.viewport.x(scene.viewport.duration);
    context.fillStyle = palette.bg;
    if (left > 0) context.fillRect(0, 0, left, height);
    if (right < width) context.fillRect(right, 0, width - right, height);
    const bottom = AXIS_HEIGHT + scene.arranged.pinnedHeight + scene.arranged.height - scene.scroll;
    if (bottom < height) context.fillRect(0, bottom, width, height - bottom);
  }

  private backgrounds(scene: Scene, palette: Palette, items: readonly Item[], pinned: boolean): void {
    const { context, width, height } = this.surface;
    for (let i = this.firstInSight(scene, items, pinned); i < items.length; i++) {
      const item = items[i] as Item;
      const top = Math.round(topOf(scene, item, pinned));
      if (top >= height) break;
      if (item.kind === "group") {
        context.fillStyle = palette.hover;
        context.fillRect(0, top, width, item.height);
      }
      context.fillStyle = palette.border;
      context.fillRect(0, top + item.height - 1, width, 1);
    }
  }

  private firstInSight(scene: Scene, items: readonly Item[], pinned: boolean): number {
    const from = pinned ? 0 : scene.scroll;
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const item = items[middle] as Item;
      if (item.y + item.height <= from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private area(scene: Scene, palette: Palette, items: readonly Item[], pinned: boolean): void {
    const { context, width, height, ratio } = this.surface;
    const { viewport } = scene;
    const painter = pinned ? this.pinned : this.scrolled;
    const pixels = Math.round(width * ratio);
    painter.begin(viewport.start, viewport.span, pixels, ratio, palette, scene.lit, scene.names);
    for (let i = this.firstInSight(scene, items, pinned); i < items.length; i++) {
      const item = items[i] as Item;
      const top = Math.round(topOf(scene, item, pinned));
      if (top >= height) break;
      if (item.track === null) continue;
      if (isCurve(item.track)) this.curve(scene, palette, painter, item, item.track, top);
      else this.rows(scene, painter, item, item.track, top);
    }
    painter.paint(context);
    this.boxes += painter.boxes;
  }

  private rows(scene: Scene, painter: SpanPainter, item: Item, track: Track, top: number): void {
    const { width, height, ratio } = this.surface;
    const { viewport, store } = scene;
    const from = Math.max(viewport.start, 0);
    const to = Math.min(viewport.end, viewport.duration);
    if (to <= from) return;
    const best = store.bestSpans(track.id, from, to, viewport.span / (width * ratio));
    if (best === null) return;
    const whole = store.wholeSpans(track.id);
    const inset = item.kind === "group" ? GROUP_INSET : ROW_INSET;
    const left = Math.max(best.start, from);
    const right = Math.min(best.end, to);
    const h = Math.round((item.rowHeight - 2) * ratio);
    for (let depth = 0; depth < item.rows; depth++) {
      const top0 = top + inset + depth * item.rowHeight;
      if (top0 >= height) break;
      if (top0 + item.rowHeight < AXIS_HEIGHT) continue;
      const y = Math.round(top0 * ratio);
      const line = painter.sheet.take(1, y, h);
      const middle = item.kind === "track" ? y + h / 2 : Number.NaN;
      if (this.onRow) this.onRow(track.id, depth, y, h);
      part(painter, best, track.id, depth, left, right, line, middle);
      if (whole === null || whole === best) continue;
      if (left > from) part(painter, whole, track.id, depth, from, left, line, middle);
      if (right < to) part(painter, whole, track.id, depth, right, to, line, middle);
    }
  }

  private curve(
    scene: Scene,
    palette: Palette,
    painter: SpanPainter,
    item: Item,
    track: Track,
    top: number,
  ): void {
    const { width, ratio } = this.surface;
    const { viewport, store } = scene;
    const from = Math.max(viewport.start, 0);
    const to = Math.min(viewport.end, viewport.duration);
    if (to <= from) return;
    const best = store.bestCurve(track.id, from, to, viewport.span / (width * ratio));
    if (best === null) return;
    const whole = store.wholeCurve(track.id) ?? best;
    const values = this.scaleOf(whole);
    const { curveArea: area } = this;
    const { sheet } = painter;
    const colours = track.kind === "memory" ? palette.memory : palette.counter;
    area.height = Math.round((item.rowHeight - 4) * ratio);
    area.offset = sheet.take(area.height, Math.round((top + 4) * ratio), area.height);
    area.pixels = sheet.pixels;
    area.width = sheet.width;
    area.origin = viewport.start;
    area.scale = sheet.width / viewport.span;
    area.ratio = ratio;
    area.line = colours.line;
    area.area = colours.area;
    const left = Math.max(best.start, from);
    const right = Math.min(best.end, to);
    paintCurve(area, best.table, values, left, right);
    if (whole === best) return;
    if (left > from) paintCurve(area, whole.table, values, from, left);
    if (right < to) paintCurve(area, whole.table, values, right, to);
  }

  private scaleOf(whole: CurveSlice): CurveScale {
    let scale = this.scales.get(whole);
    if (scale === undefined) {
      scale = { low: 0, high: 1 };
      scaleOf(whole.table, scale);
      this.scales.set(whole, scale);
    }
    return scale;
  }
}

function part(
  painter: SpanPainter,
  slice: SpanSlice,
  track: number,
  depth: number,
  from: number,
  to: number,
  line: number,
  middle: number,
): void {
  const rows = slice.rows.get(track);
  const row = rows !== undefined && depth < rows.length ? (rows[depth] as number) : -1;
  if (row >= 0) painter.addPart(slice.table, row, from, to, line, middle);
}
