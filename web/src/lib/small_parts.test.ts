// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { type DiffDocument, type DiffRow, diffAnswer } from "./diff";
import { evidenceOf } from "./evidence";
import { rank } from "./palette";
import { guessQuantity } from "./query_columns";
import { framesOf, shapesText } from "./stack";

describe("stacks", () => {
  it("are read as torch writes them", () => {
    expect(framesOf("torch/nn/modules/conv.py(443): forward;train.py(12): <module>")).toEqual([
      { file: "torch/nn/modules/conv.py", line: 443, name: "forward" },
      { file: "train.py", line: 12, name: "<module>" },
    ]);
    expect(framesOf("<built-in method run_backward>")).toEqual([
      { file: "", line: null, name: "<built-in method run_backward>" },
    ]);
  });
  it("come with shapes on one line", () => {
    expect(shapesText([[32, 3], []])).toBe("[[32, 3], []]");
    expect(shapesText(null)).toBeNull();
  });
});

it("formats evidence by what names end in", () => {
  const shown = evidenceOf({
    step_ns: 177592167,
    wait_share: 0.25,
    copied_bytes: 2048,
    waits: 81,
    worst_step: "6",
    example_start_ns: 1,
    gone: null,
  });
  expect(shown.map(({ name, text }) => `${name} = ${text}`)).toEqual([
    "step = 177.6 ms",
    "wait, share = 25.0 %",
    "copied = 2.000 KiB",
    "waits = 81",
    "worst step = 6",
  ]);
});

it("finds names by their words, best first", () => {
  const entries = ["Kernels", "aten::conv2d", "aten::convolution", "void implicit_convolve"].map((name) => ({
    name,
  }));
  expect(rank(entries, "conv", 10).map((e) => e.name)).toEqual([
    "aten::conv2d",
    "aten::convolution",
    "void implicit_convolve",
  ]);
  expect(rank(entries, "", 2)).toHaveLength(2);
  expect(rank(entries, "ATEN 2d", 10).map((e) => e.name)).toEqual(["aten::conv2d"]);
});

it("knows what a query's columns are", () => {
  expect(guessQuantity("total_ns", [1, 2])).toBe("time");
  expect(guessQuantity("start_ns", [1.6e18])).toBe("count");
  expect(guessQuantity("bytes", [1])).toBe("bytes");
  expect(guessQuantity("n", [1, null, 2])).toBe("count");
  expect(guessQuantity("x", [1.5])).toBe("number");
  expect(guessQuantity("name", ["a", 1])).toBe("text");
  expect(guessQuantity("empty", [null])).toBe("text");
});

describe("a comparison", () => {
  const row = (name: string, before: number, after: number, verdict = "faster"): DiffRow => ({
    name,
    renamed_from: null,
    before_ns: before,
    after_ns: after,
    change_ns: after - before,
    change_share: (after - before) / before,
    total_change_share: null,
    calls_before: 1,
    calls_after: 1,
    verdict,
    p_value: null,
  });
  const diff = (table: string, rows: readonly DiffRow[]): DiffDocument => ({
    before: "a",
    after: "b",
    basis: "step",
    samples_before: 6,
    samples_after: 6,
    test: { level: 0.05, least_effect_share: 0.01 },
    remarks: [],
    tables: [{ table, measure: "duration", rows }],
  });
  it("says what changed most", () => {
    expect(
      diffAnswer(
        diff("steps", [
          row("step", 177.6e6, 154.9e6),
          row("runtime", 1e6, 2e6),
          row("dataloader", 59.26e6, 35.5e6),
        ]),
      ),
    ).toBe(
      "A step takes 154.9 ms instead of 177.6 ms (-12.8 %). Most of it is DataLoader: 35.50 ms instead of 59.26 ms.",
    );
  });
  it("does not call noise a change", () => {
    expect(diffAnswer(diff("steps", [row("step", 100e6, 101e6, "noise")]))).toContain(
      "no more than the steps scatter",
    );
  });
  it("sums functions up", () => {
    expect(diffAnswer(diff("functions", [row("f", 10e6, 30e6), row("g", 10e6, 10e6)]))).toContain(
      "The code took 40.00 ms instead of 20.00 ms (+100 %)",
    );
  });
});
