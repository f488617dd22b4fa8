// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeCounter, decodeSpans } from "./spans";
import type { Track } from "./timeline_layout";
import { plan, serves, windowFor } from "./timeline_plan";
import { fitness, SliceStore, spanSlice } from "./timeline_slices";
import { counterBytes, spanBytes, testSpan } from "./timeline_testing";

const DURATION = 1e9;
const track = (id: number, depth = 4, spans = 1e6, kind: Track["kind"] = "thread"): Track => ({
  id,
  group: 0,
  kind,
  name: "",
  depth,
  spans,
  first_ns: 0,
  last_ns: DURATION,
});
const slice = (tracks: readonly number[], start: number, end: number, nsPerPixel: number, keep = false) =>
  spanSlice(decodeSpans(spanBytes([testSpan(1, 1)])), tracks, start, end, nsPerPixel, keep);

describe("windowFor", () => {
  it("covers the view and about half of it on either side, at the screen's detail or finer", () => {
    for (const view of [
      { start: 4e8, end: 5e8 },
      { start: 123456, end: 133456 },
      { start: 7e8, end: 7e8 + 300 },
    ]) {
      const nsPerPixel = (view.end - view.start) / 1000;
      const window = windowFor(view, nsPerPixel, DURATION);
      const span = view.end - view.start;
      expect(window.start).toBeLessThanOrEqual(view.start - span * 0.49);
      expect(window.end).toBeGreaterThanOrEqual(Math.min(DURATION, view.end + span * 0.49));
      expect(window.end - window.start).toBeLessThan(span * 2.5);
      expect(window.nsPerPixel).toBeLessThanOrEqual(nsPerPixel);
      expect(window.nsPerPixel).toBeGreaterThan(nsPerPixel / 1.42);
      expect(Number.isInteger(window.start) && Number.isInteger(window.end)).toBe(true);
    }
  });
  it("stays within the trace", () => {
    const window = windowFor({ start: 0, end: DURATION }, 1e6, DURATION);
    expect([window.start, window.end]).toEqual([0, DURATION]);
  });
});

describe("plan", () => {
  const view = { start: 4e8, end: 5e8 };
  it("asks for what is not held", () => {
    const store = new SliceStore();
    const asked = plan(view, 1000, [track(1, 1, 10), track(2, 1, 10)], store, DURATION);
    expect(asked.spans.map((request) => request.tracks)).toEqual([[1, 2]]);
  });
  it("asks for nothing once the answer is there, also after a little panning", () => {
    const store = new SliceStore();
    const [request] = plan(view, 1000, [track(1)], store, DURATION).spans;
    if (!request) throw new Error("nothing asked");
    store.addSpans(slice(request.tracks, request.start, request.end, request.nsPerPixel));
    for (const by of [0, 1e7, -3e7]) {
      const panned = { start: view.start + by, end: view.end + by };
      expect(plan(panned, 1000, [track(1)], store, DURATION).spans).toEqual([]);
    }
    expect(plan({ start: 4.6e8, end: 5.6e8 }, 1000, [track(1)], store, DURATION).spans).toHaveLength(1);
    expect(plan({ start: 4.4e8, end: 4.5e8 }, 1000, [track(1)], store, DURATION).spans).toHaveLength(1);
  });
  it("splits what would be more than about a megabyte", () => {
    const tracks = Array.from({ length: 12 }, (_, i) => track(i, 8));
    const asked = plan(view, 1500, tracks, new SliceStore(), DURATION).spans;
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.flatMap((request) => request.tracks)).toEqual(tracks.map((t) => t.id));
  });
  it("asks for curves one by one", () => {
    const asked = plan(
      view,
      1000,
      [track(1, 1, 0, "memory"), track(2, 1, 0, "counter")],
      new SliceStore(),
      DURATION,
    );
    expect(asked.spans).toEqual([]);
    expect(asked.curves.map((request) => request.track)).toEqual([1, 2]);
  });
});

it("is content at the ends of the trace without a margin", () => {
  const held = { start: 0, end: DURATION, nsPerPixel: 1e6 };
  expect(serves(held, { start: 0, end: DURATION }, 1e6, DURATION)).toBe(true);
  expect(serves(held, { start: 0, end: DURATION }, 9e5, DURATION)).toBe(false);
});

describe("SliceStore", () => {
  it("prefers what covers the view, then the nearest detail", () => {
    const store = new SliceStore();
    const whole = slice([1], 0, DURATION, 1e6, true);
    const fine = slice([1], 4e8, 5e8, 1e5);
    const finer = slice([1], 4e8, 5e8, 1e4);
    for (const each of [whole, fine, finer]) store.addSpans(each);
    expect(store.bestSpans(1, 4.2e8, 4.8e8, 1e5)).toBe(fine);
    expect(store.bestSpans(1, 4.2e8, 4.8e8, 1e4)).toBe(finer);
    expect(store.bestSpans(1, 0, DURATION, 1e6)).toBe(whole);
    expect(store.bestSpans(2, 0, DURATION, 1e6)).toBeNull();
    expect(fitness(fine, 6e8, 7e8, 1e5)).toBe(Number.NEGATIVE_INFINITY);
  });
  it("lets the least recently drawn go, never the whole trace", () => {
    const store = new SliceStore();
    store.addSpans(slice([1], 0, DURATION, 1e6, true));
    for (let i = 0; i < 200; i++) store.addSpans(slice([1], i * 1e6, (i + 1) * 1e6, 10));
    expect(store.size).toBeLessThanOrEqual(48);
    expect(store.wholeSpans(1)).not.toBeNull();
    expect(store.spansOf(1).length).toBe(store.size);
  });
  it("keeps curves beside spans", () => {
    const store = new SliceStore();
    const table = decodeCounter(counterBytes([[0, 1, 2, 1]]));
    store.addCurve({ table, track: 5, start: 0, end: 10, nsPerPixel: 1, keep: true, used: 0 });
    expect(store.bestCurve(5, 0, 10, 1)?.table).toBe(table);
    expect(store.wholeCurve(5)).not.toBeNull();
  });
});
