// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { extent, rebinned, thinned } from "./histograms";

const step = (buckets: readonly (readonly [number, number, number])[]) => ({ step: 0, wall: 0, buckets });

it("finds what all steps reach, empty buckets left out", () => {
  expect(
    extent([
      step([
        [-9, -8, 0],
        [0, 1, 3],
      ]),
      step([[1, 4, 1]]),
    ]),
  ).toEqual([0, 4]);
  expect(extent([step([])])).toBeNull();
  expect(extent([step([[2, 2, 5]])])).toEqual([1.5, 2.5]);
});
it("keeps the count, however the buckets lie", () => {
  const sum = (counts: Float64Array): number => counts.reduce((a, b) => a + b, 0);
  expect([...rebinned([[0, 4, 8]], [0, 4], 4)]).toEqual([2, 2, 2, 2]);
  expect(
    sum(
      rebinned(
        [
          [0.3, 1.1, 5],
          [1.1, 3.9, 2],
          [2, 2, 1],
        ],
        [0, 4],
        7,
      ),
    ),
  ).toBeCloseTo(8);
});
it("thins evenly and keeps both ends", () => {
  expect(thinned([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 4)).toEqual([0, 3, 6, 9]);
  expect(thinned([1, 2], 4)).toEqual([1, 2]);
});
