// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { layered } from "./graph_layers";

const nodes = ["d", "a", "b", "c", "alone"].map((name) => ({ name }));

it("puts a node below all that it needs", () => {
  const { nodes: placed, layers } = layered(nodes, [
    ["a", "b"],
    ["b", "c"],
    ["a", "c"],
    ["c", "d"],
    ["gone", "d"],
  ]);
  const layer = Object.fromEntries(placed.map((p) => [p.node.name, p.layer]));
  expect(layer).toEqual({ a: 0, b: 1, c: 2, d: 3, alone: 0 });
  expect(layers).toBe(4);
});
it("ends where there is a loop", () => {
  const { nodes: placed } = layered(nodes, [
    ["a", "b"],
    ["b", "a"],
    ["c", "c"],
    ["b", "d"],
  ]);
  expect(placed).toHaveLength(5);
});
