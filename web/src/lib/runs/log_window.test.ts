// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  drawn,
  endOf,
  heightOf,
  isScaled,
  isSeen,
  MOST_PX,
  ROW,
  scrollOf,
  topAt,
  topFor,
} from "./log_window";

test("a short log is as high as its lines", () => {
  const view = { lines: 1000, height: 600 };
  expect(heightOf(view)).toBe(1000 * ROW);
  expect(topAt(view, 100 * ROW)).toBe(100);
  expect(scrollOf(view, 100)).toBe(100 * ROW);
  expect(topAt(view, 1e9)).toBe(endOf(view));
});

test("of millions of lines every one can be reached", () => {
  const view = { lines: 40_000_000, height: 600 };
  expect(isScaled(view)).toBe(true);
  expect(heightOf(view)).toBe(MOST_PX);
  for (const line of [0, 1, 123_456, 39_999_000, endOf(view)])
    expect(topAt(view, scrollOf(view, line))).toBeCloseTo(line, 3);
  expect(topAt(view, 0)).toBe(0);
  expect(topAt(view, MOST_PX - 600)).toBe(endOf(view));
});

test("what is drawn covers what is seen, and stands where it belongs", () => {
  const view = { lines: 5_000_000, height: 600 };
  const scrolled = scrollOf(view, 1_000_000.5);
  const { first, last, offset } = drawn(view, scrolled, 1_000_000.5);
  expect(first).toBeLessThanOrEqual(1_000_000);
  expect(last).toBeGreaterThanOrEqual(1_000_000 + 600 / ROW);
  // The line 1,000,000 is half out of view at the top.
  expect(offset + (1_000_000 - first) * ROW - scrolled).toBeCloseTo(-ROW / 2, 6);
  expect(drawn({ lines: 0, height: 600 }, 0)).toEqual({ first: 0, last: 0, offset: 0 });
});

test("a line that is gone to has what led there above it", () => {
  const view = { lines: 1000, height: 600 };
  expect(isSeen(view, topFor(view, 500), 500)).toBe(true);
  expect(topFor(view, 500)).toBeLessThan(500);
  expect(topFor(view, 0)).toBe(0);
  expect(isSeen(view, topFor(view, 999), 999)).toBe(true);
});
