// SPDX-License-Identifier: Apache-2.0
// Draws the time axis: ticks with labels along the top, and their lines over the tracks. In CSS pixels.
import { chooseTicks, type Ticks, tickLabel } from "../lib/timeline_ticks";
import type { Viewport } from "../lib/viewport";
import type { Palette } from "./palette";

const LEAST_PIXELS = 116; // between labels: the longest has about 15 letters
export const AXIS_HEIGHT = 28;

export class AxisPainter {
  private ticks: Ticks | null = null;
  private span = -1;
  private width = -1;
  private readonly labels = new Map<number, string>();
  private labelled = "";

  private chosen(viewport: Viewport): Ticks {
    // Panning changes the span by rounding alone; the ticks stay the same object.
    if (
      this.ticks === null ||
      Math.abs(viewport.span - this.span) > 1e-6 * viewport.span ||
      viewport.width !== this.width
    ) {
      this.span = viewport.span;
      this.width = viewport.width;
      this.ticks = chooseTicks(viewport.span, viewport.width, LEAST_PIXELS);
      const key = `${this.ticks.step} ${this.ticks.unit}`;
      if (key !== this.labelled) this.labels.clear();
      this.labelled = key;
    }
    return this.ticks;
  }

  private label(index: number, ticks: Ticks): string {
    let text = this.labels.get(index);
    if (text === undefined) {
      if (this.labels.size > 2000) this.labels.clear();
      text = tickLabel(index * ticks.step, ticks);
      this.labels.set(index, text);
    }
    return text;
  }

  grid(
    context: CanvasRenderingContext2D,
    viewport: Viewport,
    zero: number,
    height: number,
    palette: Palette,
  ): void {
    const ticks = this.chosen(viewport);
    context.fillStyle = palette.faint;
    const last = Math.floor((viewport.end - zero) / ticks.step);
    for (let i = Math.ceil((viewport.start - zero) / ticks.step); i <= last; i++) {
      context.fillRect(Math.round(viewport.x(zero + i * ticks.step)), AXIS_HEIGHT, 1, height - AXIS_HEIGHT);
    }
  }

  axis(context: CanvasRenderingContext2D, viewport: Viewport, zero: number, palette: Palette): void {
    const ticks = this.chosen(viewport);
    const width = viewport.width;
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, width, AXIS_HEIGHT);
    context.fillStyle = palette.border;
    context.fillRect(0, AXIS_HEIGHT - 1, width, 1);
    const small = ticks.step / ticks.minor;
    const last = Math.floor((viewport.end - zero) / small);
    for (let i = Math.ceil((viewport.start - zero) / small); i <= last; i++) {
      const major = i % ticks.minor === 0;
      const x = Math.round(viewport.x(zero + i * small));
      context.fillRect(x, major ? AXIS_HEIGHT - 9 : AXIS_HEIGHT - 5, 1, major ? 9 : 5);
    }
    context.fillStyle = palette.muted;
    context.font = `11px ${palette.font}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    const end = Math.floor((viewport.end - zero) / ticks.step);
    for (let i = Math.floor((viewport.start - zero) / ticks.step); i <= end; i++) {
      const x = Math.round(viewport.x(zero + i * ticks.step));
      context.fillText(this.label(i, ticks), x + 4, 11);
    }
  }
}
