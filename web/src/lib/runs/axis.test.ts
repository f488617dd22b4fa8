// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { axisOf, clockTicks, durationTicks, numberTicks, pixelAt, valueAt } from "./axis";
import { duration, shortNumber } from "./numbers";

const texts = (ticks: readonly { readonly text: string }[]): readonly string[] => ticks.map((t) => t.text);

describe("axisOf", () => {
  it("goes from value to pixel and back, straight and logarithmic, upside down as well", () => {
    for (const log of [false, true])
      for (const pixels of [
        [10, 410],
        [200, 20],
      ] as const) {
        const axis = axisOf([0.01, 1000], pixels, log);
        expect(pixelAt(axis, 0.01)).toBeCloseTo(pixels[0]);
        expect(pixelAt(axis, 1000)).toBeCloseTo(pixels[1]);
        expect(valueAt(axis, pixelAt(axis, 37))).toBeCloseTo(37);
      }
  });
  it("gives a range that is a point some room", () => {
    const axis = axisOf([5, 5], [0, 100], false);
    expect(pixelAt(axis, 5)).toBeCloseTo(50);
    expect(pixelAt(axisOf([0, 0], [0, 100], false), 0)).toBeCloseTo(50);
    expect(pixelAt(axisOf([5, 5], [0, 100], true), 5)).toBeCloseTo(50);
  });
  it("begins a logarithmic axis at the least positive value", () => {
    expect(axisOf([-3, 100], [0, 100], true, 0.5).min).toBeCloseTo(0.5);
    expect(axisOf([-3, -1], [0, 100], true).max).toBeCloseTo(1);
  });
});

describe("ticks", () => {
  it("are round numbers with the decimals that tell them apart", () => {
    expect(texts(numberTicks(axisOf([0, 1], [0, 1], false), 5))).toEqual([
      "0",
      "0.2",
      "0.4",
      "0.6",
      "0.8",
      "1.0",
    ]);
    expect(texts(numberTicks(axisOf([0, 2e7], [0, 1], false), 4))).toEqual([
      "0",
      "5e6",
      "1e7",
      "1.5e7",
      "2e7",
    ]);
    expect(texts(numberTicks(axisOf([0, 3e-7], [0, 1], false), 3))).toEqual(["0", "1e-7", "2e-7", "3e-7"]);
  });
  it("are powers of ten on a logarithmic axis, or round numbers where there are none", () => {
    expect(texts(numberTicks(axisOf([0.001, 100], [0, 1], true), 10))).toEqual([
      "0.001",
      "0.01",
      "0.1",
      "1",
      "10",
      "100",
    ]);
    expect(texts(numberTicks(axisOf([2, 5], [0, 1], true), 4))).toEqual(["2", "3", "4", "5"]);
  });
  it("count time in units of the clock", () => {
    expect(texts(durationTicks(axisOf([0, 3600], [0, 1], false), 4))).toEqual([
      "0",
      "15 min",
      "30 min",
      "45 min",
      "1 h",
    ]);
    const day = Date.UTC(2026, 10, 17, 12) / 1000;
    expect(clockTicks(axisOf([day, day + 3600], [0, 1], false), 4)).toHaveLength(5);
  });
});

it("writes durations and numbers of any size", () => {
  expect([0, 0.0123, 4.25, 75, 7500, 100000, -75].map(duration)).toEqual([
    "0 s",
    "12.3 ms",
    "4.25 s",
    "1 min 15 s",
    "2 h 5 min",
    "1 d 3 h",
    "-1 min 15 s",
  ]);
  expect([0.123456, 12.3456, 12345.6, 1234567, 1.5e-9, 3e12, Number.NaN, null].map(shortNumber)).toEqual([
    "0.1235",
    "12.35",
    "12,346",
    "1,234,567",
    "1.5e-9",
    "3e12",
    "NaN",
    "–",
  ]);
});
