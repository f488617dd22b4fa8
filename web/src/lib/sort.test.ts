// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { clicked, compareValues, parseSort, sortedPositions, sortText } from "./sort";

it("goes through the address and back", () => {
  for (const text of ["", "name", "-total_ns", "-total_ns,name"])
    expect(sortText(parseSort(text))).toBe(text);
  expect(parseSort(undefined)).toEqual([]);
  expect(parseSort("-,,")).toEqual([]);
});

describe("a click on a title", () => {
  it("starts with the largest number, or with A", () => {
    expect(sortText(clicked([], "n", true, false))).toBe("-n");
    expect(sortText(clicked([], "name", false, false))).toBe("name");
  });
  it("turns round when clicked again", () => {
    expect(sortText(clicked(parseSort("-n"), "n", true, false))).toBe("n");
  });
  it("adds a second column with shift", () => {
    expect(sortText(clicked(parseSort("-n"), "name", false, true))).toBe("-n,name");
    expect(sortText(clicked(parseSort("-n,name"), "n", true, true))).toBe("n,name");
  });
});

it("puts what is missing last, both ways", () => {
  expect(compareValues(null, 1, false)).toBe(1);
  expect(compareValues(null, 1, true)).toBe(1);
  expect(compareValues(Number.NaN, null, true)).toBe(0);
});

it("sorts by several columns and keeps the order of equals", () => {
  const rows = [
    [1, "b"],
    [2, "a"],
    [1, "a"],
    [1, "b"],
  ] as const;
  const order = sortedPositions(
    [0, 1, 2, 3],
    [
      { descending: true, value: (p) => rows[p]?.[0] },
      { descending: false, value: (p) => rows[p]?.[1] },
    ],
  );
  expect(order).toEqual([1, 2, 0, 3]);
});

it("orders numbers inside names as numbers", () => {
  expect(compareValues("step 9", "step 10", false)).toBeLessThan(0);
});
