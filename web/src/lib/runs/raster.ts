// SPDX-License-Identifier: Apache-2.0
// Lines drawn into pixels by hand. A canvas strokes a path of many points slowly, and later than when it is told to, so
// that nobody can stop in time; this costs about as much as the pixels that it touches, at once. A line is gathered as
// coverage first, where its pieces overlap without adding up, and then laid over the picture.

export class LineRaster {
  // By column, since lines go from left to right; empty between two lines.
  private readonly coverage: Uint8Array;
  private readonly low: Int32Array; // first and last row touched, of each column
  private readonly high: Int32Array;
  private first: number; // column
  private last: number;
  private left = 0; // what is outside is not drawn
  private top = 0;
  private right: number;
  private bottom: number;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.coverage = new Uint8Array(width * height);
    this.low = new Int32Array(width).fill(height);
    this.high = new Int32Array(width).fill(-1);
    this.first = width;
    this.last = -1;
    this.right = width;
    this.bottom = height;
  }

  clip(left: number, top: number, right: number, bottom: number): void {
    this.left = Math.max(0, Math.floor(left));
    this.top = Math.max(0, Math.floor(top));
    this.right = Math.min(this.width, Math.ceil(right));
    this.bottom = Math.min(this.height, Math.ceil(bottom));
  }

  // From one point to another; `half` the width, in pixels.
  segment(x0: number, y0: number, x1: number, y1: number, half: number): void {
    const dx = Math.abs(x1 - x0);
    const dy = Math.abs(y1 - y0);
    if (dx >= dy) {
      if (x0 > x1) {
        let swap = x0;
        x0 = x1;
        x1 = swap;
        swap = y0;
        y0 = y1;
        y1 = swap;
      }
      const slope = dx > 0 ? (y1 - y0) / dx : 0;
      const reach = half * Math.sqrt(1 + slope * slope);
      const from = Math.max(this.left, Math.floor(x0));
      const to = Math.min(this.right - 1, Math.floor(x1));
      for (let x = from; x <= to; ++x) {
        const at = Math.max(x0, Math.min(x1, x + 0.5));
        const y = y0 + (at - x0) * slope;
        this.span(x, y - reach, y + reach);
      }
      return;
    }
    if (y0 > y1) {
      let swap = x0;
      x0 = x1;
      x1 = swap;
      swap = y0;
      y0 = y1;
      y1 = swap;
    }
    const slope = (x1 - x0) / dy;
    const reach = half * Math.sqrt(1 + slope * slope);
    const from = Math.max(this.top, Math.floor(y0));
    const to = Math.min(this.bottom - 1, Math.floor(y1));
    for (let y = from; y <= to; ++y) {
      const at = Math.max(y0, Math.min(y1, y + 0.5));
      const x = x0 + (at - y0) * slope;
      this.row(y, x - reach, x + reach);
    }
  }

  // Pixels of one column between two heights, those at the ends as far as they are covered.
  private span(x: number, from: number, to: number): void {
    const a = Math.max(this.top, Math.floor(from));
    const b = Math.min(this.bottom - 1, Math.floor(to));
    for (let y = a; y <= b; ++y) this.put(x, y, Math.min(to, y + 1) - Math.max(from, y));
  }
  private row(y: number, from: number, to: number): void {
    const a = Math.max(this.left, Math.floor(from));
    const b = Math.min(this.right - 1, Math.floor(to));
    for (let x = a; x <= b; ++x) this.put(x, y, Math.min(to, x + 1) - Math.max(from, x));
  }
  private put(x: number, y: number, share: number): void {
    const at = x * this.height + y;
    const value = share >= 1 ? 255 : (share * 255) | 0;
    if (value > (this.coverage[at] as number)) this.coverage[at] = value;
    if (y < (this.low[x] as number)) this.low[x] = y;
    if (y > (this.high[x] as number)) this.high[x] = y;
    if (x < this.first) this.first = x;
    if (x > this.last) this.last = x;
  }

  // Between two lines: one column after the other, so that neighbours do not overlap.
  between(x0: number, low0: number, high0: number, x1: number, low1: number, high1: number): void {
    const from = Math.max(this.left, Math.ceil(x0 - 0.5));
    const to = Math.min(this.right - 1, Math.ceil(x1 - 0.5) - 1);
    for (let x = from; x <= to; ++x) {
      const share = x1 > x0 ? (x + 0.5 - x0) / (x1 - x0) : 0;
      const a = low0 + (low1 - low0) * share;
      const b = high0 + (high1 - high0) * share;
      this.span(x, Math.min(a, b), Math.max(a, b));
    }
  }

  // Lays what was gathered over opaque pixels (RGBA, by row) and begins anew.
  compose(pixels: Uint8ClampedArray, red: number, green: number, blue: number, alpha: number): void {
    const { width, height, coverage, low, high } = this;
    const strength = Math.round(alpha * 257); // coverage · strength: of 65535
    for (let x = this.first; x <= this.last; ++x) {
      const end = high[x] as number;
      for (let y = low[x] as number; y <= end; ++y) {
        const at = x * height + y;
        const covered = coverage[at] as number;
        if (covered === 0) continue;
        coverage[at] = 0;
        const a = covered * strength;
        const p = (y * width + x) * 4;
        const r = pixels[p] as number;
        const g = pixels[p + 1] as number;
        const b = pixels[p + 2] as number;
        pixels[p] = r + (((red - r) * a) >> 16);
        pixels[p + 1] = g + (((green - g) * a) >> 16);
        pixels[p + 2] = b + (((blue - b) * a) >> 16);
      }
      low[x] = height;
      high[x] = -1;
    }
    this.first = width;
    this.last = -1;
  }
}
