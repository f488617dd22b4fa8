// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Layout } from "./timeline_layout";
import { clockNote, omissions, sentence, spoken } from "./timeline_summary";
import * as url from "./timeline_url";

describe("the timeline's address", () => {
  it("comes back as it was written", () => {
    expect(url.readView(url.writeView(-20.5, 1234567.2))).toEqual({ start: -21, end: 1234568 });
    expect(url.readEvent({ event: url.writeEvent({ file: 1, row: 99 }) })).toEqual({ file: 1, row: 99 });
    expect(url.readRange({ sel: url.writeRange({ start: -5, end: 7 }) })).toEqual({ start: -5, end: 7 });
    expect(url.readIds(url.writeIds([3, 1]))).toEqual(new Set([1, 3]));
  });
  it("reads nonsense as nothing", () => {
    expect(url.readView({ start: "x", end: "3" })).toBeNull();
    expect(url.readView({ start: "5", end: "5" })).toBeNull();
    expect(url.readEvent({ event: "3" })).toBeNull();
    expect(url.readEvent({})).toBeNull();
    expect(url.readRange({ sel: "4" })).toBeNull();
    expect(url.readIds(undefined).size).toBe(0);
  });
  it("tells the first choice of closed tracks from none", () => {
    const initial = new Set(["t1"]);
    expect(url.readCollapsed({}, initial)).toBe(initial);
    expect(url.readCollapsed({ collapsed: "-" }, initial).size).toBe(0);
    expect(url.writeCollapsed(new Set(), initial)).toBe("-");
    expect(url.writeCollapsed(new Set(["t1"]), initial)).toBeNull();
    expect([...url.readCollapsed({ collapsed: "g2,t3,<b>" }, initial)]).toEqual(["g2", "t3"]);
  });
});

describe("the timeline in words", () => {
  const layout: Layout = {
    origin_ns: "0",
    duration_ns: 2.13e9,
    clock_error_ns: 12_300,
    groups: [0, 1].map((id) => ({ id, name: `rank ${id}`, file: id, clock_offset_ns: 0 })),
    tracks: (["steps", "thread", "thread", "stream"] as const).map((kind, id) => ({
      id,
      group: 0,
      kind,
      name: "",
      depth: 1,
      spans: 10,
      first_ns: 0,
      last_ns: 1,
    })),
    categories: [],
  };
  it("says how much there is", () => {
    expect(sentence(layout)).toBe(
      "10 steps in 2.130 s: 30 events on 2 ranks, 2 host threads and 1 device stream.",
    );
  });
  it("states the clocks' error, or that there is none to state", () => {
    expect(clockNote(layout)).toBe("All ranks on one clock, exact to ±12.30 µs.");
    expect(clockNote({ ...layout, clock_error_ns: null })).toContain("could not be aligned");
    expect(clockNote({ ...layout, groups: [] })).toBe("");
  });
  it("says what is left out", () => {
    expect(omissions(layout)).toBe("");
    expect(omissions({ ...layout, spans_outside: 1 })).toBe("1 event days away from all others: not shown.");
  });
  it("reads a span out", () => {
    expect(spoken("aten::add", "operator", 1e6, 2e3, 1)).toBe(
      "aten::add, operator, 2.000 µs, starts at 1.000 ms",
    );
    expect(spoken("aten::add", "operator", 1e6, 2e3, 7)).toContain("7 events, the longest aten::add");
  });
});
