// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { drops } from "./waterfall";

it("hangs each bar where the one before ended", () => {
  expect(drops(200, [150, 50])).toEqual([
    { from: 1, to: 0.75 },
    { from: 0.75, to: 0.25 },
  ]);
});

it("goes down only, and not below nothing", () => {
  expect(drops(100, [80, 90, -5])).toEqual([
    { from: 1, to: 0.8 },
    { from: 0.8, to: 0.8 },
    { from: 0.8, to: 0 },
  ]);
});

it("has no bars of nothing", () => {
  expect(drops(100, [])).toEqual([]);
  expect(drops(0, [0])).toEqual([{ from: 0, to: 0 }]);
});
