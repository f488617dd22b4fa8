// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { contrast, mix, textOn } from "./colour";
import { binSql, binsOf, decadeEdges } from "./histogram";
import { axisTicks, linearScale, logScale, niceStep, si } from "./scale";
import { hash, toneOf } from "./tones";

describe("scales", () => {
  it("linear: goes there and back, with round ticks", () => {
    const s = linearScale([0, 187], [10, 210], 5);
    expect(s.at(0)).toBe(10);
    expect(s.at(187)).toBe(210);
    expect(s.value(s.at(42))).toBeCloseTo(42, 9);
    expect(s.ticks).toEqual([0, 50, 100, 150]);
    expect(niceStep(1, 4)).toBe(0.5);
    expect(linearScale([3, 3], [0, 10]).at(3)).toBe(0);
  });
  it("log: decades are equally wide", () => {
    const s = logScale([1, 1e4], [0, 400]);
    expect(s.at(10)).toBeCloseTo(100, 9);
    expect(s.at(1e3)).toBeCloseTo(300, 9);
    expect(s.value(200)).toBeCloseTo(100, 9);
    expect(s.ticks).toEqual([1, 10, 100, 1000, 10000]);
    const one = logScale([5, 5], [0, 100], 2);
    expect(one.domain[1] / one.domain[0]).toBeCloseTo(100, 6);
  });
  it("si", () => {
    expect(si(125e12, "FLOP/s")).toBe("125 TFLOP/s");
    expect(si(0.75)).toBe("0.75");
    expect(si(41.04e9, "B/s")).toBe("41 GB/s");
    expect(si(null)).toBe("–");
  });
});

describe("histogram", () => {
  it("has edges of 1, 2, 5 and asks for the bin of a value", () => {
    const edges = decadeEdges(1000, 20_000);
    expect(edges).toEqual([0, 1000, 2000, 5000, 10_000, 20_000]);
    expect(binSql([0, 10, 20], "x")).toBe("CASE WHEN x >= 20 THEN 2 WHEN x >= 10 THEN 1 ELSE 0 END");
    const bins = binsOf(
      edges,
      new Map([
        [1, 4],
        [3, 2],
      ]),
    );
    expect(bins).toEqual([
      { from: 1000, to: 2000, count: 4 },
      { from: 2000, to: 5000, count: 0 },
      { from: 5000, to: 10_000, count: 2 },
    ]);
  });
});

describe("colours", () => {
  it("are stable and readable", () => {
    expect(hash("torch")).toBe(hash("torch"));
    expect(toneOf("torch")).toBe(toneOf("torch"));
    expect(mix("#ffffff", "#000000", 0.5)).toBe("rgb(128,128,128)");
    for (const name of ["torch", "numpy", "train.py", "data.py", "json", "typing"])
      expect(contrast(toneOf(name), textOn(toneOf(name)))).toBeGreaterThan(4.5);
  });
});

it("labels an axis with round numbers, each with its unit, and no useless decimals", () => {
  const texts = (...args: Parameters<typeof axisTicks>): string[] => axisTicks(...args).map((t) => t.text);
  expect(texts("time", 120e6, 3)).toEqual(["0", "50 ms", "100 ms"]);
  expect(texts("time", 1.3e9, 3)).toEqual(["0", "0.5 s", "1.0 s"]);
  expect(texts("bytes", 250 * 2 ** 20, 3)).toEqual(["0", "100 MiB", "200 MiB"]);
  expect(texts("count", 2, 8)).toEqual(["0", "1", "2"]);
  expect(texts("percent", 1, 2)).toEqual(["0", "50 %", "100 %"]);
  expect(axisTicks("time", 120e6, 3)[2]?.value).toBe(100e6);
});
