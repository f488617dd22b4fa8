// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { type CallTree, children } from "./calltree";
import { sandwichOf, sandwichOfPairs } from "./sandwich";

const names = (tree: CallTree, at = -1): (string | number)[][] =>
  [...children(tree, at)].map((i) => [
    tree.functions[tree.fn[i] as number]?.name ?? "",
    tree.low[i] as number,
    tree.high[i] as number,
  ]);
const listed = (name: string, number: number) => ({
  function: number,
  name,
  file: "a.py",
  line: 1,
  own_code: true,
  package: "",
});

it("puts the function between its callers and callees", () => {
  const side = (fn: number[], parent: number[], low: number[], high: number[]) => ({
    id: fn.map((_, i) => i),
    parent,
    function: fn,
    total_low: low,
    total_high: high,
    self: fn.map(() => null),
    calls: fn.map(() => null),
    recursive: fn.map((_, i) => (i === 2 ? 1 : 0)),
    hidden: fn.map(() => 0),
  });
  const { callers, callees, total } = sandwichOf({
    source: "pairs",
    unit: "ns",
    total: 100,
    functions: ["g", "f", "main", "h"].map(listed),
    function: { total: 80, self: 10 },
    callers: side([0, 1, 2], [-1, 0, 1], [80, 50, 20], [80, 50, 50]),
    callees: side([0, 3], [-1, 0], [80, 20], [80, 20]),
  });
  expect(total).toBe(80);
  expect(names(callers)).toEqual([["f", 50, 50]]);
  expect(names(callers, callers.roots[0])).toEqual([["main", 20, 50]]);
  expect(callers.recursive[1]).toBe(1);
  expect(names(callees)).toEqual([["h", 20, 20]]);
});

it("has one level of a report's pairs", () => {
  const row = (name: string, total_ns: number) => ({
    file: "",
    line: 0,
    name,
    total_ns,
    self_ns: 1,
    calls: 2,
  });
  const { callers, callees } = sandwichOfPairs(9, [row("a", 5), row("b", 4)], [row("c", 3)]);
  expect(names(callers)).toEqual([
    ["a", 5, 5],
    ["b", 4, 4],
  ]);
  expect(names(callees)).toEqual([["c", 3, 3]]);
});
