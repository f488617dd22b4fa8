// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Line } from "./points";
import {
  moved,
  readingAt,
  type Stretch,
  scaled,
  stretchOf,
  stretchText,
  timeOf,
  wholeOf,
  xOf,
  zoomed,
} from "./time_axis";

const WHOLE: Stretch = [1000, 1100];

test("a stretch goes into an address and back", () => {
  expect(stretchOf(stretchText([1000.25, 1010.5]))).toEqual([1000.25, 1010.5]);
  expect(stretchOf("5-3")).toBeNull();
  expect(stretchOf("now")).toBeNull();
  expect(stretchOf(undefined)).toBeNull();
});

test("a moment stands at the same place in every picture", () => {
  expect(timeOf(WHOLE, 800, xOf(WHOLE, 800, 1042))).toBeCloseTo(1042, 9);
  expect(timeOf(WHOLE, 800, -50)).toBe(1000);
  expect(timeOf(WHOLE, 800, 5000)).toBe(1100);
});

test("a zoom keeps the moment in its place and stays within the run", () => {
  const [from, to] = zoomed(WHOLE, WHOLE, 1020, 0.5) as Stretch;
  expect((1020 - from) / (to - from)).toBeCloseTo(0.2, 9);
  expect(zoomed([1000, 1010], WHOLE, 1000, 0.5)?.[0]).toBe(1000);
  expect(zoomed([1000, 1060], WHOLE, 1030, 3)).toBeNull();
  expect(moved([1000, 1010], WHOLE, -1)).toEqual([1000, 1010]);
  expect(moved([1000, 1010], WHOLE, 0.5)).toEqual([1005, 1015]);
});

test("a run of one moment has a second around it", () => {
  expect(wholeOf(5, 5)).toEqual([4.5, 5.5]);
  expect(wholeOf(null, 5)).toBeNull();
  expect(wholeOf(1, 9)).toEqual([1, 9]);
});

const line: Line = {
  chart: 0,
  run: 0,
  total: 3,
  reduced: false,
  x: Float64Array.of(1, 2, 10),
  y: Float64Array.of(2048, 4096, 1024),
  smoothed: Float64Array.of(2048, 4096, 1024),
  wall: Float64Array.of(1, 2, 10),
  step: Float64Array.of(0, 1, 2),
  low: null,
  high: null,
  rising: true,
  odd: false,
};
test("a line is read where it was measured, in its unit", () => {
  expect(readingAt(scaled(line, 1024), 2.1, 1)).toEqual({ value: 4, step: 1 });
  expect(readingAt(line, 6, 1)).toBeNull();
  expect(scaled(line, 1)).toBe(line);
});
