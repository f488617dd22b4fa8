// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { parallelAxis, passes, placeOn } from "./parallel";

it("places numbers by size, by magnitude over decades, words by order", () => {
  const plain = parallelAxis("a", [1, 3, 5]);
  expect([plain.kind, placeOn(plain, 1), placeOn(plain, 3), placeOn(plain, 5)]).toEqual([
    "number",
    1,
    0.5,
    0,
  ]);
  const log = parallelAxis("lr", [0.001, 0.1]);
  expect([log.kind, placeOn(log, 0.01)]).toEqual(["log", expect.closeTo(0.5)]);
  const words = parallelAxis("m", ["b", "a10", "a2", null]);
  expect([words.words, placeOn(words, "a2"), placeOn(words, null)]).toEqual([["a2", "a10", "b"], 0, null]);
  expect(placeOn(parallelAxis("one", [4, 4]), 4)).toBe(0.5);
  expect(parallelAxis("mixed", [1, "x"]).kind).toBe("word");
});
it("lets lines through that are within all brushes", () => {
  const axes = [parallelAxis("a", [0, 1]), parallelAxis("b", [0, 1])];
  const brushes = new Map([["a", [0, 0.5] as const]]);
  expect([
    passes(axes, [0.9, 0], brushes),
    passes(axes, [0.2, 0], brushes),
    passes(axes, [null, 0], brushes),
  ]).toEqual([true, false, false]);
});
