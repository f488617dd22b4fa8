// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeSpans } from "./spans";
import { spanSlice } from "./timeline_slices";
import { nearestEdge } from "./timeline_snap";
import { spanBytes, testSpan } from "./timeline_testing";

const table = decodeSpans(
  spanBytes([
    testSpan(100, 100),
    testSpan(300, 50),
    testSpan(110, 20, { depth: 1 }),
    testSpan(150, 50, { depth: 1 }),
  ]),
);
const slice = spanSlice(table, [0], 0, 500, 1, false);

describe("snapping to edges", () => {
  it("takes the nearest beginning or end, before or behind, within reach", () => {
    expect(nearestEdge(slice, 0, 0, 97, 5)).toEqual({ time: 100, depth: 0 });
    expect(nearestEdge(slice, 0, 0, 204, 5)).toEqual({ time: 200, depth: 0 });
    expect(nearestEdge(slice, 0, 0, 296, 5)).toEqual({ time: 300, depth: 0 });
    expect(nearestEdge(slice, 0, 0, 352, 5)).toEqual({ time: 350, depth: 0 });
    expect(nearestEdge(slice, 0, 0, 250, 5)).toBeNull();
  });
  it("sees all rows of the track, and prefers the pointer's", () => {
    expect(nearestEdge(slice, 0, 0, 132, 5)).toEqual({ time: 130, depth: 1 });
    expect(nearestEdge(slice, 0, 1, 201, 5)).toEqual({ time: 200, depth: 1 });
    expect(nearestEdge(slice, 0, 0, 201, 5)).toEqual({ time: 200, depth: 0 });
  });
  it("knows tracks that are not held", () => {
    expect(nearestEdge(slice, 7, 0, 100, 5)).toBeNull();
  });
});
