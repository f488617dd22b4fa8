// SPDX-License-Identifier: Apache-2.0
// Draws what lies over the tracks and changes while they do not: the box under the pointer, the chosen one with
// its arrows, the chosen range, marks, and the moment under the pointer. In CSS pixels.
import type { Mark } from "../lib/timeline_marks";
import { exactTime, utc } from "../lib/timeline_ticks";
import { time as duration } from "../lib/units";
import { AXIS_HEIGHT } from "./axis_painter";
import type { Palette } from "./palette";
import { type Box, rowTop, type Scene } from "./scene";
import type { Surface } from "./surface";

export class OverlayPainter {
  constructor(private readonly surface: Surface) {}

  draw(scene: Scene, palette: Palette): void {
    const { context, width, height, ratio } = this.surface;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(0, AXIS_HEIGHT, width, height - AXIS_HEIGHT);
    context.clip();
    if (scene.hover) this.box(scene, scene.hover, palette.text, 1);
    this.arrows(scene, palette);
    if (scene.selected) {
      this.box(scene, scene.selected, palette.panel, 4);
      this.box(scene, scene.selected, palette.text, 2);
    }
    context.restore();
    if (scene.range) this.range(scene, palette);
    this.snaps(scene, palette);
    this.marks(scene, palette);
    if (scene.pointer !== null && !scene.ranging) this.pointer(scene, palette, scene.pointer);
  }

  private box(scene: Scene, box: Box, colour: string, line: number): void {
    const { context, width } = this.surface;
    const { viewport } = scene;
    const y = rowTop(scene, box.track, box.depth);
    if (Number.isNaN(y)) return;
    const place = scene.places.get(box.track);
    const h = (place?.item.rowHeight ?? 18) - 2;
    const x0 = Math.max(-4, Math.round(viewport.x(box.start)));
    const x1 = Math.min(width + 4, Math.round(viewport.x(box.start + box.duration)));
    if (x1 < -3 || x0 > width + 3) return;
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(x0 - 0.5, y - 0.5, Math.max(x1 - x0, 2), h + 1);
  }

  private arrows(scene: Scene, palette: Palette): void {
    const { context, width } = this.surface;
    const { viewport } = scene;
    context.lineWidth = 1.5;
    for (const arrow of scene.arrows) {
      const fromY = rowTop(scene, arrow.from.track, arrow.from.depth) + 8;
      const toY = rowTop(scene, arrow.to.track, arrow.to.depth) + 8;
      if (Number.isNaN(fromY) || Number.isNaN(toY)) continue;
      // A launch leaves where the call began; it cannot leave after what it caused.
      const leaves = Math.min(arrow.from.start + arrow.from.duration / 2, arrow.to.start);
      const x0 = viewport.x(Math.max(leaves, arrow.from.start));
      const x1 = viewport.x(arrow.to.start);
      if (Math.max(x0, x1) < -width || Math.min(x0, x1) > 2 * width) continue;
      const bend = Math.max(Math.abs(x1 - x0) * 0.4, 18);
      context.strokeStyle = arrow.kind === "launch" ? palette.text : palette.accent;
      context.fillStyle = context.strokeStyle;
      context.beginPath();
      context.moveTo(x0, fromY);
      context.bezierCurveTo(x0 + bend, fromY, x1 - bend - 6, toY, x1 - 5, toY);
      context.stroke();
      context.beginPath();
      context.moveTo(x1, toY);
      context.lineTo(x1 - 7, toY - 4);
      context.lineTo(x1 - 7, toY + 4);
      context.fill();
      context.beginPath();
      context.arc(x0, fromY, 2.5, 0, 2 * Math.PI);
      context.fill();
    }
  }

  private range(scene: Scene, palette: Palette): void {
    const { context, width, height } = this.surface;
    const { viewport } = scene;
    const range = scene.range as { start: number; end: number };
    const x0 = Math.max(-1, Math.round(viewport.x(range.start)));
    const x1 = Math.min(width + 1, Math.round(viewport.x(range.end)));
    if (x1 < 0 || x0 > width) return;
    context.fillStyle = palette.bg;
    context.globalAlpha = 0.55;
    context.fillRect(0, AXIS_HEIGHT, x0, height);
    context.fillRect(x1, AXIS_HEIGHT, width - x1, height);
    context.globalAlpha = 1;
    context.fillStyle = palette.accent;
    context.fillRect(x0, 0, 1, height);
    context.fillRect(x1, 0, 1, height);
    const label = duration(range.end - range.start);
    this.chip(label, (Math.max(x0, 0) + Math.min(x1, width)) / 2, palette.accent, palette.accentText);
  }

  // A dot on the edge that the range was drawn to.
  private snaps(scene: Scene, palette: Palette): void {
    const { context } = this.surface;
    for (const snap of scene.snaps) {
      const y = rowTop(scene, snap.track, Math.max(snap.depth, 0));
      if (Number.isNaN(y)) continue;
      const half = ((scene.places.get(snap.track)?.item.rowHeight ?? 18) - 2) / 2;
      context.beginPath();
      context.arc(Math.round(scene.viewport.x(snap.time)) + 0.5, y + half, 4, 0, 2 * Math.PI);
      context.fillStyle = palette.accent;
      context.fill();
      context.strokeStyle = palette.panel;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }

  private marks(scene: Scene, palette: Palette): void {
    const { context, height } = this.surface;
    for (let i = 0; i < scene.marks.length; i++) {
      const { time, label } = scene.marks[i] as Mark;
      const x = Math.round(scene.viewport.x(time));
      if (x < -MARK_LABEL || x > scene.viewport.width + 20) continue;
      context.fillStyle = palette.warn;
      context.fillRect(x, AXIS_HEIGHT - 8, 1, height);
      context.beginPath();
      context.moveTo(x + 0.5, AXIS_HEIGHT);
      context.lineTo(x - 4.5, AXIS_HEIGHT - 7);
      context.lineTo(x - 4.5, AXIS_HEIGHT - 13);
      context.lineTo(x + 5.5, AXIS_HEIGHT - 13);
      context.lineTo(x + 5.5, AXIS_HEIGHT - 7);
      context.fill();
      if (label !== "") this.markLabel(label, x, palette);
    }
  }

  // Beside its line, below the axis.
  private markLabel(label: string, x: number, palette: Palette): void {
    const { context } = this.surface;
    context.font = CHIP_FONT;
    const size = Math.min(context.measureText(label).width + 10, MARK_LABEL);
    context.fillStyle = palette.warn;
    context.fillRect(x, AXIS_HEIGHT, size, 17);
    context.fillStyle = palette.panel;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(label, x + 5, AXIS_HEIGHT + 9, MARK_LABEL - 10);
  }

  private pointer(scene: Scene, palette: Palette, x: number): void {
    const { context, height } = this.surface;
    const { viewport } = scene;
    const moment = viewport.time(x);
    context.fillStyle = palette.muted;
    context.globalAlpha = 0.5;
    context.fillRect(Math.round(x), AXIS_HEIGHT, 1, height);
    context.globalAlpha = 1;
    const short = exactTime(moment - scene.zero, viewport.nsPerPixel);
    const long = `${short}  ·  ${utc(scene.layout.origin_ns, moment)}`;
    this.chip(this.surface.width > 640 ? long : short, x, palette.text, palette.panel);
  }

  private chip(label: string, middle: number, ground: string, ink: string): void {
    const { context, width } = this.surface;
    context.font = CHIP_FONT;
    const size = context.measureText(label).width + 14;
    const x = Math.round(Math.min(Math.max(middle - size / 2, 2), width - size - 2));
    context.fillStyle = ground;
    context.beginPath();
    context.roundRect(x, 3, size, 19, 4);
    context.fill();
    context.fillStyle = ink;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(label, x + 7, 13);
  }
}

const MARK_LABEL = 240; // pixels at most
const CHIP_FONT = "11px system-ui, sans-serif";
