// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import {
  type Arrangement,
  arrange,
  busiest,
  initiallyCollapsed,
  itemAt,
  type Layout,
  type Track,
} from "./timeline_layout";

const track = (id: number, group: number, kind: Track["kind"], depth: number, spans = 10): Track => ({
  id,
  group,
  kind,
  name: `track ${id}`,
  depth,
  spans,
  first_ns: 0,
  last_ns: 100,
});
const group = (id: number) => ({ id, name: `rank ${id}`, file: id, clock_offset_ns: 0 });
const layout = (groups: number, tracks: readonly Track[]): Layout => ({
  origin_ns: "0",
  duration_ns: 100,
  clock_error_ns: null,
  groups: Array.from({ length: groups }, (_, i) => group(i)),
  tracks,
  categories: [],
});
const open: Arrangement = { collapsed: new Set(), hidden: new Set(), pinned: new Set(), group: null };
const tracks = [
  track(0, 0, "steps", 1),
  track(1, 0, "thread", 4),
  track(2, 0, "stream", 1),
  track(3, 1, "stream", 2, 99),
];

describe("arrange", () => {
  it("stacks without gaps or overlaps", () => {
    const { items, height } = arrange(layout(2, tracks), open);
    let y = 0;
    for (const item of items) {
      expect(item.y).toBe(y);
      y += item.height;
    }
    expect(y).toBe(height);
    expect(items.map((item) => item.kind)).toEqual(["group", "track", "track", "track", "group", "track"]);
  });
  it("has no headings for one group", () => {
    expect(arrange(layout(1, tracks.slice(0, 3)), open).items.every((item) => item.kind === "track")).toBe(
      true,
    );
  });
  it("draws a closed group as its busiest track in the heading", () => {
    const { items } = arrange(layout(2, tracks), { ...open, collapsed: new Set(["g0"]) });
    expect(items.map((item) => [item.kind, item.track?.id ?? null])).toEqual([
      ["group", 2],
      ["group", null],
      ["track", 3],
    ]);
  });
  it("shows one row of a closed track, none of a hidden one", () => {
    const closed = arrange(layout(1, tracks.slice(0, 3)), {
      ...open,
      collapsed: new Set(["t1"]),
      hidden: new Set([2]),
    });
    expect(closed.items.map((item) => item.rows)).toEqual([1, 1]);
  });
  it("moves pinned tracks to their own area, also out of closed groups", () => {
    const arranged = arrange(layout(2, tracks), {
      ...open,
      pinned: new Set([3]),
      collapsed: new Set(["g1"]),
    });
    expect(arranged.pinned.map((item) => item.track?.id)).toEqual([3]);
    expect(arranged.items.some((item) => item.kind === "track" && item.track?.id === 3)).toBe(false);
    expect(arranged.pinnedHeight).toBe(arranged.pinned[0]?.height);
  });
  it("shows one rank alone", () => {
    const { items } = arrange(layout(2, tracks), { ...open, group: 1 });
    expect(new Set(items.map((item) => item.group))).toEqual(new Set([1]));
  });
});

it("finds the item at a height", () => {
  const { items, height } = arrange(layout(2, tracks), open);
  for (const [i, item] of items.entries()) {
    expect(itemAt(items, item.y)).toBe(i);
    expect(itemAt(items, item.y + item.height - 0.5)).toBe(i);
  }
  expect(itemAt(items, height)).toBe(-1);
  expect(itemAt(items, -1)).toBe(-1);
});

it("takes a device's fullest stream as the busiest track", () => {
  expect(
    busiest([track(0, 0, "thread", 1, 999), track(1, 0, "stream", 1, 5), track(2, 0, "stream", 1, 6)])?.id,
  ).toBe(2);
  expect(busiest([track(0, 0, "memory", 1)])).toBeNull();
});

it("closes deep Python stacks and all ranks but the first", () => {
  const many = layout(3, [track(0, 0, "python", 40), track(1, 0, "python", 3)]);
  expect([...initiallyCollapsed(many)].sort()).toEqual(["g1", "g2", "t0"]);
});
