// SPDX-License-Identifier: Apache-2.0
// Moves the view over several frames: gliding to a place, and moving for as long as a key is held. Who prefers
// reduced motion gets there at once.
import { between, type TimeRange, type Viewport } from "../../../lib/viewport";

const GLIDE_MS = 200;
const PAN_PER_SECOND = 1.1; // views
const ZOOM_PER_SECOND = 6; // factor

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Motion {
  private from: TimeRange | null = null;
  private to: TimeRange | null = null;
  private began = 0;
  private last = 0;
  private pan = 0; // -1, 0, 1
  private zoom = 0;
  anchor: () => number = () => this.viewport.width / 2;

  constructor(
    private readonly viewport: Viewport,
    private readonly moved: () => void,
  ) {}

  jump(start: number, end: number): void {
    this.to = null;
    this.viewport.show(start, end);
    this.moved();
  }
  glide(to: TimeRange): void {
    if (reducedMotion()) {
      this.jump(to.start, to.end);
      return;
    }
    this.from = { start: this.viewport.start, end: this.viewport.end };
    this.to = to;
    this.began = 0;
    this.moved();
  }
  // A movement of the hand ends one of the page.
  stop(): void {
    this.to = null;
    this.pan = 0;
    this.zoom = 0;
  }
  hold(pan: number, zoom: number): void {
    if (reducedMotion()) {
      if (pan !== 0) this.viewport.panPixels(pan * this.viewport.width * 0.15);
      if (zoom !== 0) this.viewport.zoomAt(this.anchor(), zoom > 0 ? 0.7 : 1 / 0.7);
      this.moved();
      return;
    }
    if (this.pan === 0 && this.zoom === 0) this.last = 0;
    this.to = null;
    if (pan !== 0) this.pan = pan;
    if (zoom !== 0) this.zoom = zoom;
    this.moved();
  }
  release(pan: boolean, zoom: boolean): void {
    if (pan) this.pan = 0;
    if (zoom) this.zoom = 0;
  }

  // One frame; true if there is more to come.
  step(now: number): boolean {
    if (this.to && this.from) {
      if (this.began === 0) this.began = now;
      const share = Math.min(1, (now - this.began) / GLIDE_MS);
      const next = between(this.from, this.to, 1 - (1 - share) ** 3);
      this.viewport.show(next.start, next.end);
      if (share >= 1) this.to = null;
      this.moved();
      return this.to !== null;
    }
    if (this.pan === 0 && this.zoom === 0) return false;
    const seconds = this.last === 0 ? 0.016 : Math.min(0.05, (now - this.last) / 1000);
    this.last = now;
    if (this.pan !== 0) this.viewport.panPixels(this.pan * this.viewport.width * PAN_PER_SECOND * seconds);
    if (this.zoom !== 0) this.viewport.zoomAt(this.anchor(), ZOOM_PER_SECOND ** (-this.zoom * seconds));
    this.moved();
    return true;
  }
}
