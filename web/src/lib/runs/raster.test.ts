// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { LineRaster } from "./raster";

const W = 12;
const H = 10;
function drawn(use: (raster: LineRaster) => void, alpha = 1): (x: number, y: number) => number {
  const raster = new LineRaster(W, H);
  const pixels = new Uint8ClampedArray(W * H * 4);
  use(raster);
  raster.compose(pixels, 255, 0, 0, alpha);
  return (x, y) => pixels[(y * W + x) * 4] as number;
}
const sum = (at: (x: number, y: number) => number): number => {
  let all = 0;
  for (let y = 0; y < H; ++y) for (let x = 0; x < W; ++x) all += at(x, y);
  return all / 255;
};

describe("LineRaster", () => {
  it("covers what a line of one pixel covers", () => {
    const flat = drawn((r) => r.segment(1, 4.5, 11, 4.5, 0.5));
    expect(flat(5, 4)).toBeGreaterThan(250);
    expect(flat(5, 3)).toBe(0);
    expect(sum(flat)).toBeGreaterThan(9);
    expect(sum(flat)).toBeLessThan(12);
    const between = drawn((r) => r.segment(1, 5, 11, 5, 0.5));
    expect(Math.abs(between(5, 4) - between(5, 5))).toBeLessThan(4);
  });
  it("draws steep lines as strong as flat ones, in any direction", () => {
    for (const [x0, y0, x1, y1] of [
      [6, 1, 6, 9],
      [6, 9, 6, 1],
      [2, 1, 9, 8],
      [9, 8, 2, 1],
    ] as const) {
      const all = sum(drawn((r) => r.segment(x0, y0, x1, y1, 0.5)));
      const length = Math.hypot(x1 - x0, y1 - y0);
      expect(all).toBeGreaterThan(length * 0.85);
      expect(all).toBeLessThan(length * 1.35 + 1);
    }
  });
  it("does not add up where pieces of one line overlap", () => {
    const once = drawn((r) => r.segment(1, 4.5, 9, 4.5, 0.5), 0.25);
    const twice = drawn((r) => {
      r.segment(1, 4.5, 9, 4.5, 0.5);
      r.segment(9, 4.5, 1, 4.5, 0.5);
    }, 0.25);
    expect(twice(5, 4)).toBe(once(5, 4));
    expect(once(5, 4)).toBeLessThan(70);
  });
  it("leaves no gap between short pieces", () => {
    const at = drawn((r) => {
      for (let i = 0; i < 20; ++i) r.segment(1 + i / 2, 4.5, 1.5 + i / 2, 4.5, 0.5);
    });
    for (let x = 1; x < 11; ++x) expect(at(x, 4)).toBeGreaterThan(250);
  });
  it("stays within its pixels and its clip, wherever a line goes", () => {
    const at = drawn((r) => {
      r.clip(2, 2, 8, 8);
      r.segment(-1e6, -1e6, 1e6, 1e6, 3);
      r.segment(5, -1e9, 5, 1e9, 1);
      r.segment(-50, 5, 1e9, 5, 1);
    });
    expect([at(1, 1), at(8, 8), at(5, 1), at(9, 5)]).toEqual([0, 0, 0, 0]);
    expect(at(5, 5)).toBeGreaterThan(200);
  });
  it("fills between two lines without overlap", () => {
    const at = drawn((r) => {
      r.between(1, 7, 3, 5.2, 7, 3);
      r.between(5.2, 7, 3, 9, 7, 3);
    }, 0.5);
    const values = [2, 3, 4, 5, 6, 7].map((x) => at(x, 5));
    expect(new Set(values).size).toBe(1);
    expect(at(4, 1)).toBe(0);
  });
  it("begins anew after each line", () => {
    const raster = new LineRaster(W, H);
    const pixels = new Uint8ClampedArray(W * H * 4);
    raster.segment(0, 5, 10, 5, 1);
    raster.compose(pixels, 0, 0, 0, 1);
    raster.compose(pixels, 255, 255, 255, 1);
    expect(Math.max(...pixels)).toBe(0);
  });
});
