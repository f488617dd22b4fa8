// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { alongFlow } from "./timeline_flow";

const at = (row: number, file = 0) => ({ file, row, start_ns: row * 10 });
const arrow = (kind: string, from: number, to: number) => ({ kind, from: at(from), to: at(to) });

describe("going along flows", () => {
  // Operator 1 holds call 2, which launched kernels 9 and 8; its backward operator is 5.
  const operator = {
    ...at(1),
    parents: [at(0)],
    arrows: [arrow("launch", 2, 9), arrow("launch", 2, 8), arrow("forward_backward", 1, 5)],
  };
  it("leads to what was launched, the first in time, and to the backward operator", () => {
    expect(alongFlow(operator, "launch", true)?.row).toBe(8);
    expect(alongFlow(operator, "other", true)?.row).toBe(5);
    expect(alongFlow(operator, "launch", false)).toBeNull();
    expect(alongFlow(operator, "other", false)).toBeNull();
  });
  it("leads back to the call, and from inside a backward operator to the forward one", () => {
    const kernel = { ...at(8), parents: [], arrows: [arrow("launch", 2, 8)] };
    expect(alongFlow(kernel, "launch", false)?.row).toBe(2);
    expect(alongFlow(kernel, "launch", true)).toBeNull();
    const inside = { ...at(6), parents: [at(5)], arrows: [arrow("forward_backward", 1, 5)] };
    expect(alongFlow(inside, "other", false)?.row).toBe(1);
    expect(alongFlow(inside, "other", true)).toBeNull();
  });
  it("tells rows of different files apart", () => {
    const other = { ...at(9, 1), parents: [], arrows: [arrow("launch", 2, 9)] };
    expect(alongFlow(other, "launch", true)?.row).toBe(9);
  });
});
