// SPDX-License-Identifier: Apache-2.0
// Draws the whole trace in a strip, its steps above its busiest track, and over it the window of what is in view.
// The strip changes with the data, the window with every movement: a canvas each.
import type { Mark } from "../lib/timeline_marks";
import type { TimeRange } from "../lib/viewport";
import type { Palette } from "./palette";
import type { Scene } from "./scene";
import { type Lit, SpanPainter } from "./span_painter";
import type { Surface } from "./surface";

export const MINIMAP_HEIGHT = 44;
const ALL: Lit = { categories: null, names: null, events: null };

export class MinimapPainter {
  private readonly spans = new SpanPainter();

  constructor(
    private readonly strip: Surface,
    private readonly over: Surface,
  ) {}

  drawStrip(scene: Scene, tracks: readonly number[], palette: Palette): void {
    const { context, width, height, ratio } = this.strip;
    const { duration } = scene.viewport;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = palette.bg;
    context.fillRect(0, 0, width * ratio, height * ratio);
    this.spans.begin(0, duration, Math.round(width * ratio), ratio, palette, ALL, scene.names);
    const each = (height - 8) / Math.max(tracks.length, 1);
    for (let i = 0; i < tracks.length; i++) {
      const track = tracks[i] as number;
      const slice = scene.store.wholeSpans(track);
      const row = slice?.rows.get(track)?.[0] ?? -1;
      if (!slice || row < 0) continue;
      const y = Math.round((5 + i * each) * ratio);
      const line = this.spans.sheet.take(1, y, Math.round((each - 2) * ratio));
      this.spans.addPart(slice.table, row, 0, duration, line, Number.NaN);
    }
    this.spans.paint(context);
  }

  drawWindow(scene: Scene, palette: Palette): void {
    const { context, width, height, ratio } = this.over;
    const { duration } = scene.viewport;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.window(scene.viewport, duration, palette);
    context.fillStyle = palette.warn;
    for (let i = 0; i < scene.marks.length; i++) {
      context.fillRect(((scene.marks[i] as Mark).time / duration) * width, 0, 1.5, height);
    }
  }

  private window(view: TimeRange, duration: number, palette: Palette): void {
    const { context, width, height } = this.over;
    const x0 = Math.round(Math.max(0, (view.start / duration) * width));
    const x1 = Math.round(Math.min(width, Math.max((view.end / duration) * width, x0 + 3)));
    context.globalAlpha = 0.68;
    context.fillStyle = palette.bg;
    context.fillRect(0, 0, x0, height);
    context.fillRect(x1, 0, width - x1, height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.accent;
    context.lineWidth = 1.5;
    context.strokeRect(x0 + 0.75, 0.75, Math.max(x1 - x0 - 1.5, 2), height - 1.5);
    context.fillStyle = palette.accent;
    if (x1 - x0 > 14) {
      context.fillRect(x0, height / 2 - 8, 4, 16);
      context.fillRect(x1 - 4, height / 2 - 8, 4, 16);
    }
  }
}
