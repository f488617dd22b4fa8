// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { joined, readCounter } from "./counter";

const points = (time: number[], most: number[], last: number[]) => ({
  time: Float64Array.from(time),
  least: Float64Array.from(last),
  most: Float64Array.from(most),
  last: Float64Array.from(last),
});

it("reads the server's columns", () => {
  const buffer = new ArrayBuffer(8 + 64);
  const view = new DataView(buffer);
  [0x54, 0x54, 0x43, 0x31].forEach((byte, i) => {
    view.setUint8(i, byte);
  });
  view.setUint32(4, 2, true);
  [1, 2, 3, 4, 5, 6, 7, 8].forEach((value, i) => {
    view.setFloat64(8 + 8 * i, value, true);
  });
  const read = readCounter(buffer);
  expect([[...read.time], [...read.least], [...read.most], [...read.last]]).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
  ]);
  expect(() => readCounter(new ArrayBuffer(4))).toThrow();
  expect(() => readCounter(buffer.slice(0, 40))).toThrow("cut short");
});

it("falls back to a pixel's last value: a peak is no plateau", () => {
  expect(joined([points([0, 100], [80, 3], [0, 3])], 10)).toEqual({ x: [0, 10, 100], values: [[80, 0, 3]] });
  expect(joined([points([0, 5], [80, 3], [0, 3])], 10).x).toEqual([0, 5]);
});

it("puts several on one axis", () => {
  expect(joined([points([0, 20], [1, 2], [1, 2]), points([10], [5], [5])], 1)).toEqual({
    x: [0, 10, 20],
    values: [
      [1, 1, 2],
      [null, 5, 5],
    ],
  });
});
