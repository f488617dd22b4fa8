// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { decodePoints } from "./points";
import { encodeLines } from "./points_testing";
import { xRange, yRange } from "./range";

const lines = (y: readonly number[], smoothed?: readonly number[]) =>
  decodePoints(
    encodeLines([{ chart: 0, run: 0, x: y.map((_, i) => i), y, ...(smoothed ? { smoothed } : {}) }]),
  );
const rules = { smoothed: false, raw: false, outliers: true, log: false };

it("takes everything that is finite, with some room", () => {
  const found = yRange(lines([1, Number.NaN, 3, Number.POSITIVE_INFINITY]), null, rules);
  expect(found?.range).toEqual([0.9, 3.1]);
  expect(xRange(lines([1, 2, 3]), false)).toEqual([0, 2]);
  expect(xRange(lines([1, 2, 3]), true)).toEqual([1, 2]);
  expect(yRange(lines([Number.NaN]), null, rules)).toBeNull();
});
it("looks at the part that is shown", () => {
  expect(yRange(lines([100, 1, 2, 100]), [1, 2], rules)?.range).toEqual([0.95, 2.05]);
});
it("leaves outliers out as TensorBoard does: the lowest and the highest twentieth", () => {
  const y = Array.from({ length: 101 }, (_, i) => (i === 50 ? 1e6 : i));
  const found = yRange(lines(y), null, { ...rules, outliers: false });
  expect(found?.range[1]).toBeLessThan(105);
});
it("counts ghosts only where outliers count", () => {
  const l = lines([0, 10], [4, 5]);
  expect(yRange(l, null, { ...rules, smoothed: true, raw: true })?.range[1]).toBe(10.5);
  expect(yRange(l, null, { ...rules, smoothed: true, raw: true, outliers: false })?.range[1]).toBeLessThan(6);
});
it("takes what is positive for a logarithmic axis", () => {
  const found = yRange(lines([-1, 0, 0.1, 10]), null, { ...rules, log: true });
  expect(found?.range[0]).toBeGreaterThan(0);
  expect(found?.least).toBe(0.1);
});
it("begins at zero where half as high has to be half as much", () => {
  const amount = { ...rules, fromZero: true };
  expect(yRange(lines([10, 20]), null, amount)?.range).toEqual([0, 21]);
  expect(yRange(lines([0, 0]), null, amount)?.range).toEqual([0, 1]);
  expect(yRange(lines([-1, 1]), null, amount)?.range[0]).toBeLessThan(-1);
});
it("finds the ends of x whether or not it rises", () => {
  const over = (x: readonly number[]) =>
    decodePoints(encodeLines([{ chart: 0, run: 0, x, y: x.map(() => 1) }]));
  expect(xRange(over([Number.NaN, 3, 4, 9, Number.NaN]), false)).toEqual([3, 9]);
  expect(xRange(over([3, 9, 1, 4]), false)).toEqual([1, 9]);
  expect(xRange(over([-2, 0, 5, 7]), true)).toEqual([5, 7]);
  expect(xRange(over([]), false)).toBeNull();
});
