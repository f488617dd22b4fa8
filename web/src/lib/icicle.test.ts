// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { buildTree, children, highOf, type PlainNode, pathTo, treeOfColumns } from "./calltree";
import { divide, layoutIcicle } from "./icicle";

const node = (parent: number | null, name: string, low: number, high = low): PlainNode => ({
  parent,
  name,
  file: "a.py",
  line: 1,
  low,
  high,
});
const treeOf = (nodes: readonly PlainNode[]) => buildTree({ source: "pairs", total: 100, nodes });
const all = { root: -1, levels: 50, cutoff: 0, narrowest: 0 };

describe("buildTree", () => {
  it("orders children by time and joins places of one function", () => {
    const tree = treeOf([node(null, "main", 100), node(0, "f", 20), node(0, "g", 70), node(2, "f", 5)]);
    expect([...children(tree, 0)]).toEqual([2, 1]);
    expect(tree.functions.map((f) => f.name)).toEqual(["main", "f", "g"]);
    expect(tree.fn[1]).toBe(tree.fn[3]);
    expect(pathTo(tree, 3)).toEqual([0, 2, 3]);
    expect(highOf(tree, -1)).toBe(100);
  });

  it("takes the server's columns", () => {
    const tree = treeOfColumns(
      {
        source: "pairs",
        unit: "ns",
        total: 9,
        functions: [{ function: 17, file: null, line: null, name: "x", own_code: true, package: "" }],
      },
      {
        id: [3, 8],
        parent: [-1, 0],
        function: [0, 0],
        total_low: [1, 4],
        total_high: [9, 4],
        self: [null, 2],
        calls: [1, null],
        recursive: [0, 1],
        hidden: [0, 5],
      },
    );
    expect(tree.ids).toEqual(["3", "8"]);
    expect([tree.low[0], tree.high[0], tree.low[1], tree.high[1]]).toEqual([1, 9, 4, 4]);
    expect([...children(tree, 0)]).toEqual([1]);
    expect(Number.isNaN(tree.self[0])).toBe(true);
    expect(tree.functions[0]).toEqual({
      file: "",
      line: null,
      name: "x",
      package: "",
      own: true,
      number: 17,
    });
    expect([tree.recursive[1], tree.hidden[1]]).toEqual([1, 5]);
  });
});

describe("layoutIcicle", () => {
  it("gives exact times their share of the width, children below their parent", () => {
    const tree = treeOf([node(null, "main", 100), node(0, "g", 70), node(0, "f", 20), node(1, "h", 35)]);
    const boxes = layoutIcicle(tree, all);
    const box = (name: string) => {
      for (let i = 0; i < boxes.count; i++)
        if (tree.functions[tree.fn[boxes.node[i] as number] as number]?.name === name)
          return [boxes.level[i], boxes.x0[i], boxes.x1[i], boxes.sure[i]];
      return null;
    };
    expect(box("main")).toEqual([0, 0, 1, 1]);
    expect(box("g")).toEqual([1, 0, 0.7, 0.7]);
    expect(box("f")?.map((v) => Math.round((v ?? 0) * 1e9) / 1e9)).toEqual([1, 0.7, 0.9, 0.9]);
    expect(box("h")).toEqual([2, 0, 0.35, 0.35]);
    expect(boxes.levels).toBe(3);
  });

  it("draws the least time as certain and never lets children leave their parent", () => {
    const tree = treeOf([node(null, "main", 100), node(0, "a", 30, 90), node(0, "b", 10, 80)]);
    const boxes = layoutIcicle(tree, all);
    const last = boxes.x1[boxes.count - 1] as number;
    expect(last).toBeCloseTo(1, 12);
    expect((boxes.sure[1] as number) - (boxes.x0[1] as number)).toBeCloseTo(0.3, 12);
    expect((boxes.sure[2] as number) - (boxes.x0[2] as number)).toBeCloseTo(0.1, 12);
  });

  it("leaves small calls to one block with their number, and counts them", () => {
    const tree = treeOf([node(null, "main", 100), node(0, "big", 90), node(0, "s1", 4), node(0, "s2", 3)]);
    const boxes = layoutIcicle(tree, { ...all, cutoff: 0.05 });
    expect(boxes.cut).toBe(2);
    const block = boxes.node.indexOf(-1);
    expect(boxes.merged[block]).toBe(2);
    expect(boxes.x0[block]).toBeCloseTo(0.9, 12);
    expect(boxes.x1[block]).toBeCloseTo(0.97, 12);
  });

  it("stops at the depth and says that more lies below", () => {
    const tree = treeOf([node(null, "a", 100), node(0, "b", 90), node(1, "c", 80)]);
    const boxes = layoutIcicle(tree, { ...all, root: 0, levels: 1 });
    expect(boxes.levels).toBe(2);
    expect(boxes.deeper).toBe(true);
    expect(layoutIcicle(tree, { ...all, root: 0, levels: 2 }).deeper).toBe(false);
  });

  it("zooms: the chosen node fills the width", () => {
    const tree = treeOf([node(null, "a", 100), node(0, "b", 40), node(1, "c", 10)]);
    const boxes = layoutIcicle(tree, { ...all, root: 1 });
    expect(boxes.count).toBe(2);
    expect(boxes.x1[0]).toBe(1);
    expect(boxes.x1[1]).toBe(0.25);
  });
});

it("divide scales least times only if even they do not fit", () => {
  const tree = treeOf([node(null, "p", 10), node(0, "a", 8), node(0, "b", 8)]);
  expect(divide(tree, [1, 2], 8).fixed).toEqual([4, 4]);
  expect(divide(tree, [1, 2], 20)).toEqual({ fixed: [8, 8], hatch: [0, 0] });
});

it("draws a few thousand boxes of 100,000 nodes", () => {
  const nodes: PlainNode[] = [node(null, "root", 1e9)];
  for (let i = 1; i < 100_000; i++)
    nodes.push(node(Math.floor((i - 1) / 3), `f${i % 5000}`, 1e9 / i, 2e9 / i));
  const tree = treeOf(nodes);
  const boxes = layoutIcicle(tree, { root: -1, levels: 40, cutoff: 0.001, narrowest: 0.0004 });
  expect(boxes.count).toBeLessThan(20_000);
});
