// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { between, Viewport, viewShowing, withRoom } from "./viewport";

function view(duration: number, width: number): Viewport {
  const viewport = new Viewport(duration);
  viewport.width = width;
  return viewport;
}

describe("Viewport", () => {
  it("shows the whole with a little room at first", () => {
    const viewport = view(1000, 100);
    expect(viewport.start).toBeLessThan(0);
    expect(viewport.end).toBeGreaterThan(1000);
  });
  it("keeps the moment under the pointer while zooming", () => {
    const viewport = view(1e9, 1000);
    viewport.show(2e8, 6e8);
    for (const factor of [0.5, 0.9, 0.01, 3]) {
      const before = viewport.time(300);
      viewport.zoomAt(300, factor);
      expect(viewport.time(300)).toBeCloseTo(before, 3);
    }
  });
  it("does not leave the trace, and does not shrink at its ends", () => {
    const viewport = view(1e6, 1000);
    viewport.show(4e5, 5e5);
    viewport.panPixels(1e9);
    expect(viewport.end).toBeCloseTo(viewport.highest, 6);
    expect(viewport.span).toBeCloseTo(1e5, 6);
    viewport.panPixels(-1e9);
    expect(viewport.start).toBeCloseTo(viewport.lowest, 6);
    expect(viewport.span).toBeCloseTo(1e5, 6);
  });
  it("stops zooming at both limits", () => {
    const viewport = view(1e6, 1000);
    viewport.zoomAt(500, 1e9);
    expect(viewport.span).toBeCloseTo(1.04e6, 3);
    viewport.zoomAt(500, 1e-12);
    expect(viewport.span).toBe(20);
  });
  it("turns moments into pixels and back", () => {
    const viewport = view(1e9, 800);
    viewport.show(1e8, 3e8);
    expect(viewport.x(2e8)).toBe(400);
    expect(viewport.time(viewport.x(123456789))).toBeCloseTo(123456789, 3);
  });
  it("pans back to where it was", () => {
    const viewport = view(1e9, 800);
    viewport.show(1e8, 3e8);
    viewport.panPixels(37);
    viewport.panPixels(-37);
    expect(viewport.start).toBeCloseTo(1e8, 3);
  });
});

describe("between", () => {
  const from = { start: 0, end: 1000 };
  const to = { start: 400, end: 410 };
  it("begins and ends where it should", () => {
    expect(between(from, to, 0)).toEqual(from);
    expect(between(from, to, 1)).toEqual(to);
  });
  it("never leaves what both views hold", () => {
    for (let share = 0; share <= 1; share += 0.05) {
      const now = between(from, to, share);
      expect(now.start).toBeGreaterThanOrEqual(0);
      expect(now.end).toBeLessThanOrEqual(1000.001);
      expect(now.start).toBeLessThanOrEqual(400.001);
    }
  });
  it("pans evenly when nothing is zoomed", () => {
    expect(between({ start: 0, end: 10 }, { start: 10, end: 20 }, 0.5)).toEqual({ start: 5, end: 15 });
  });
});

describe("viewShowing", () => {
  const viewport = view(1e9, 1000);
  viewport.show(2e8, 3e8);
  it("stays when the span can be seen", () => {
    expect(viewShowing(viewport, 2.1e8, 1e6)).toEqual({ start: viewport.start, end: viewport.end });
  });
  it("moves to one outside without zooming", () => {
    const there = viewShowing(viewport, 5e8, 1e6);
    expect(there.end - there.start).toBeCloseTo(1e8, 0);
    expect(there.start).toBeLessThan(5e8);
  });
  it("zooms to one too short or too long to be seen", () => {
    expect(viewShowing(viewport, 2.5e8, 100).end - 2.5e8).toBeLessThan(1000);
    const long = viewShowing(viewport, 1e8, 5e8);
    expect(long.start <= 1e8 && long.end >= 6e8).toBe(true);
  });
});

it("gives a span room on both sides", () => {
  expect(withRoom(100, 200, 0.1)).toEqual({ start: 90, end: 210 });
  expect(withRoom(5, 5).end).toBeGreaterThan(5);
});
