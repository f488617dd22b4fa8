// SPDX-License-Identifier: Apache-2.0
// Which part of time is on the screen. Changed in place while one pans and zooms, so that a frame allocates
// nothing. Times are ns from the profile's origin.

const NARROWEST_NS = 20; // below this a pixel is less than the clocks of any profiler resolve
const MARGIN = 0.02; // of the whole, left free at both ends so that the first and last spans can be seen whole

export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

export class Viewport {
  start = 0;
  end = 1;
  width = 1; // pixels

  constructor(public duration: number) {
    this.duration = Math.max(duration, NARROWEST_NS);
    this.start = this.lowest;
    this.end = this.highest;
  }

  get lowest(): number {
    return -this.duration * MARGIN;
  }
  get highest(): number {
    return this.duration * (1 + MARGIN);
  }
  get span(): number {
    return this.end - this.start;
  }
  get nsPerPixel(): number {
    return (this.end - this.start) / this.width;
  }

  x(time: number): number {
    return ((time - this.start) / (this.end - this.start)) * this.width;
  }
  time(x: number): number {
    return this.start + (x / this.width) * (this.end - this.start);
  }

  // Returns whether anything changed.
  show(start: number, end: number): boolean {
    const limit = this.highest - this.lowest;
    const span = Math.min(Math.max(end - start, NARROWEST_NS), limit);
    let from = start + (end - start - span) / 2;
    from = Math.min(Math.max(from, this.lowest), this.highest - span);
    const before = this.start;
    const beforeEnd = this.end;
    this.start = from;
    this.end = from + span;
    return before !== this.start || beforeEnd !== this.end;
  }

  panPixels(dx: number): boolean {
    const shift = dx * this.nsPerPixel;
    return this.show(this.start + shift, this.end + shift);
  }

  // The moment under x stays under x. factor < 1 zooms in.
  zoomAt(x: number, factor: number): boolean {
    const limit = this.highest - this.lowest;
    const span = Math.min(Math.max(this.span * factor, NARROWEST_NS), limit);
    const anchor = this.time(x);
    const from = anchor - (x / this.width) * span;
    return this.show(from, from + span);
  }
}

// A range with room around it: a span one zooms to is seen with its neighbours.
export function withRoom(start: number, end: number, share = 0.15): TimeRange {
  const room = Math.max(end - start, 1) * share;
  return { start: start - room, end: end + room };
}

// From one view to another: zoom moves evenly in its logarithm, which is what the eye takes as steady.
export function between(from: TimeRange, to: TimeRange, share: number): TimeRange {
  if (share >= 1) return to;
  const a = from.end - from.start;
  const b = to.end - to.start;
  const span = a * (b / a) ** share;
  const progress = Math.abs(b - a) < 1e-9 * a ? share : (span - a) / (b - a);
  const start = from.start + (to.start - from.start) * progress;
  return { start, end: start + span };
}

// The view that shows a span, moved no more than it must be: it stays if the span is in it and wide enough to see.
export function viewShowing(viewport: Viewport, start: number, duration: number): TimeRange {
  const seen = duration / viewport.nsPerPixel >= LEAST_SEEN_PIXELS;
  if (seen && start >= viewport.start && start + duration <= viewport.end) {
    return { start: viewport.start, end: viewport.end };
  }
  const span = seen && duration < viewport.span ? viewport.span : Math.max(duration, 1) * AROUND;
  const middle = start + duration / 2;
  return { start: middle - span / 2, end: middle + span / 2 };
}
const LEAST_SEEN_PIXELS = 3;
const AROUND = 12; // times a span, when it alone decides on the zoom
