// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { buildTree, type CallTree, children, type RawNode } from "./calltree";
import { findFunction, outermost, sandwichOfPairs, sandwichOfPaths } from "./sandwich";

const node = (parent: number | null, name: string, total: number): RawNode => ({
  parent,
  name,
  file: "a.py",
  line: 1,
  total_ns: total,
  self_ns: 1,
  calls: 1,
});
const names = (tree: CallTree, at = -1): (string | number)[][] =>
  [...children(tree, at)].map((i) => [
    tree.functions[tree.fn[i] as number]?.name ?? "",
    tree.high[i] as number,
  ]);

const tree = buildTree({
  source: "tree",
  total_ns: 100,
  nodes: [
    node(null, "main", 100),
    node(0, "f", 60),
    node(1, "g", 50),
    node(0, "g", 30),
    node(3, "h", 20),
    node(2, "g", 10), // recursion
  ],
});

it("joins all places of a function, recursion once", () => {
  const fn = findFunction(tree, "a.py:1:g");
  expect(outermost(tree, fn)).toEqual([2, 3]);
  const { callers, callees, total } = sandwichOfPaths(tree, fn);
  expect(total).toBe(80);
  expect(names(callers)).toEqual([
    ["f", 50],
    ["main", 30],
  ]);
  expect(names(callers, callers.roots[0])).toEqual([["main", 50]]);
  expect(names(callees)).toEqual([
    ["h", 20],
    ["g", 10],
  ]);
});

it("has one level of a profile of pairs", () => {
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
    ["a", 5],
    ["b", 4],
  ]);
  expect(names(callees)).toEqual([["c", 3]]);
});
