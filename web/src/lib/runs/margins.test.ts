// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { valuesAt, withMargins } from "./margins";
import { decodePoints } from "./points";
import { encodeLines } from "./points_testing";

const margins = [{ value: "loss", lower: "loss/low", upper: "loss/high" }];
const tags = ["loss", "loss/low", "loss/high", "other"];

describe("valuesAt", () => {
  const line = { x: Float64Array.of(0, 10, NaN, 20, 30) };
  const ys = Float64Array.of(0, 100, NaN, 5, 5);
  it("has what lies between two points", () => {
    expect([...valuesAt(line, ys, Float64Array.of(0, 5, 10, 25, 30))]).toEqual([0, 50, 100, 5, 5]);
  });
  it("has nothing before, behind and in gaps", () => {
    expect([...valuesAt(line, ys, Float64Array.of(-1, 15, 31))]).toEqual([NaN, NaN, NaN]);
  });
});

describe("withMargins", () => {
  const lines = decodePoints(
    encodeLines([
      { chart: 0, run: 0, x: [0, 1, 2], y: [5, 6, 7] },
      { chart: 1, run: 0, x: [0, 2], y: [4, 6] },
      { chart: 2, run: 0, x: [0, 2], y: [6, 8] },
      { chart: 0, run: 1, x: [0, 1], y: [1, 1] },
      { chart: 1, run: 1, x: [0, 1], y: [0, 0] },
      { chart: 3, run: 1, x: [0, 1], y: [9, 9] },
    ]),
  );
  const shown = withMargins(lines, margins, ({ chart }) => tags[chart] as string);
  it("is a line with a band for each run that has both margins", () => {
    expect([...(shown[0]?.low ?? [])]).toEqual([4, 5, 6]);
    expect([...(shown[0]?.high ?? [])]).toEqual([6, 7, 8]);
    expect(shown[1]?.low).toBeNull();
  });
  it("leaves lines of margins out and others as they are", () => {
    expect(shown.map(({ chart, run }) => [chart, run])).toEqual([
      [0, 0],
      [0, 1],
      [3, 1],
    ]);
  });
});
