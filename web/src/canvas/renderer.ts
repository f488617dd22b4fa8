// SPDX-License-Identifier: Apache-2.0
// Draws the tracks: only those in sight, each from the best data held and, where that ends, from the coarse data
// of the whole trace. Nothing is allocated in a frame.
import { type Item, isCurve, type Track } from "../lib/timeline_layout";
import type { CurveSlice, SpanSlice } from "../lib/timeline_slices";
import { AXIS_HEIGHT, AxisPainter } from "./axis_painter";
import { type CurveScale, paintCurve, scaleOf } from "./curve_painter";
import type { Palette } from "./palette";
import { GROUP_INSET, ROW_INSET, type Scene, topOf } from "./scene";
import { SpanPainter } from "./span_painter";
import type { Surface } from "./surface";

export class Renderer {
  readonly spans = new SpanPainter();
  readonly axis = new AxisPainter();
  boxes = 0; // drawn in the last frame
  onRow: ((track: number, depth: number, from: number, to: number) => void) | null = null;
  private readonly scales = new WeakMap<CurveSlice, CurveScale>();

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
    this.axis.grid(context, viewport, scene.zero, height, palette);
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
    const scale = (width * ratio) / viewport.span;
    this.spans.begin(viewport.start, scale, ratio, palette, scene.lit, scene.names);
    for (let i = this.firstInSight(scene, items, pinned); i < items.length; i++) {
      const item = items[i] as Item;
      const top = Math.round(topOf(scene, item, pinned));
      if (top >= height) break;
      if (item.track === null) continue;
      if (isCurve(item.track)) this.curve(scene, palette, item, item.track, top, scale);
      else this.rows(scene, item, item.track, top);
    }
    this.spans.paint(context, palette);
    this.spans.paintTexts(context, palette);
    this.boxes += this.spans.count;
  }

  private rows(scene: Scene, item: Item, track: Track, top: number): void {
    const { width, height, ratio } = this.surface;
    const { viewport, store } = scene;
    const from = Math.max(viewport.start, 0);
    const to = Math.min(viewport.end, viewport.duration);
    if (to <= from) return;
    const best = store.bestSpans(track.id, from, to, viewport.span / (width * ratio));
    if (best === null) return;
    const whole = store.wholeSpans(track.id);
    const inset = item.kind === "group" ? GROUP_INSET : ROW_INSET;
    const floor = AXIS_HEIGHT;
    for (let depth = 0; depth < item.rows; depth++) {
      const y = top + inset + depth * item.rowHeight;
      if (y >= height) break;
      if (y + item.rowHeight < floor) continue;
      const left = Math.max(best.start, from);
      const right = Math.min(best.end, to);
      this.part(best, track.id, depth, left, right, y, item);
      if (whole !== null && whole !== best) {
        if (left > from) this.part(whole, track.id, depth, from, left, y, item);
        if (right < to) this.part(whole, track.id, depth, right, to, y, item);
      }
    }
  }

  private part(
    slice: SpanSlice,
    track: number,
    depth: number,
    from: number,
    to: number,
    y: number,
    item: Item,
  ): void {
    const rows = slice.rows.get(track);
    const row = rows !== undefined && depth < rows.length ? (rows[depth] as number) : -1;
    if (row < 0) return;
    const { ratio } = this.surface;
    const h = Math.round((item.rowHeight - 2) * ratio);
    const before = this.spans.count;
    this.spans.addRow(slice.table, row, from, to, Math.round(y * ratio), h, item.kind === "track");
    if (this.onRow) this.onRow(track, depth, before, this.spans.count);
  }

  private curve(
    scene: Scene,
    palette: Palette,
    item: Item,
    track: Track,
    top: number,
    pixelsPerNs: number,
  ): void {
    const { context, width, ratio } = this.surface;
    const { viewport, store } = scene;
    const from = Math.max(viewport.start, 0);
    const to = Math.min(viewport.end, viewport.duration);
    if (to <= from) return;
    const best = store.bestCurve(track.id, from, to, viewport.span / (width * ratio));
    if (best === null) return;
    const whole = store.wholeCurve(track.id) ?? best;
    let scale = this.scales.get(whole);
    if (scale === undefined) {
      scale = { low: 0, high: 1 };
      scaleOf(whole.table, scale);
      this.scales.set(whole, scale);
    }
    const y = Math.round((top + 4) * ratio);
    const h = Math.round((item.rowHeight - 4) * ratio);
    const colour = track.kind === "memory" ? palette.accent : palette.muted;
    const left = Math.max(best.start, from);
    const right = Math.min(best.end, to);
    const o = viewport.start;
    paintCurve(context, best.table, scale, o, pixelsPerNs, left, right, y, h, ratio, colour);
    if (whole === best) return;
    if (left > from) paintCurve(context, whole.table, scale, o, pixelsPerNs, from, left, y, h, ratio, colour);
    if (right < to) paintCurve(context, whole.table, scale, o, pixelsPerNs, right, to, y, h, ratio, colour);
  }
}
