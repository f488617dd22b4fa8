// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
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
