// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { parseSort } from "./sort";
import { flatLines, groupedLines, haystacks, type Line, matching, sumOf, treeLines } from "./table_model";

interface Row {
  readonly name: string;
  readonly kind: string | null;
  readonly n: number | null;
  readonly depth: number;
}
const row = (name: string, kind: string | null, n: number | null, depth = 0): Row => ({
  name,
  kind,
  n,
  depth,
});
const columns = [
  { key: "name", value: (r: Row) => r.name },
  { key: "kind", value: (r: Row) => r.kind },
  { key: "n", value: (r: Row) => r.n },
];
const rows = [
  row("aten::mm", "x", 5),
  row("aten::add", "y", 9),
  row("nccl", "x", 1),
  row("zero", null, null),
];
const all = rows.map((_, i) => i);
const names = (of: readonly Row[], lines: readonly Line[]): string[] =>
  lines.map((line) =>
    line.kind === "group"
      ? `[${line.name} ${line.positions.length}]`
      : `${" ".repeat(line.depth)}${of[line.position]?.name}`,
  );

describe("the filter", () => {
  const haystack = haystacks(rows, columns);
  it("needs every word, in any column, in any case", () => {
    expect(matching(4, "ATEN y", haystack)).toEqual([1]);
    expect(matching(4, "  ", haystack)).toEqual(all);
    expect(matching(4, "nothing", haystack)).toEqual([]);
  });
  it("finds one row of 100,000", () => {
    const many = Array.from({ length: 100_000 }, (_, i) => row(`kernel_${i}`, null, i));
    expect(matching(many.length, "99999", haystacks(many, columns))).toEqual([99_999]);
  });
});

it("sorts rows, missing ones last", () => {
  expect(names(rows, flatLines(rows, columns, all, parseSort("-n")))).toEqual([
    "aten::add",
    "aten::mm",
    "nccl",
    "zero",
  ]);
  expect(names(rows, flatLines(rows, columns, all, parseSort("n")))).toEqual([
    "nccl",
    "aten::mm",
    "aten::add",
    "zero",
  ]);
  expect(names(rows, flatLines(rows, columns, all, parseSort("unknown")))).toEqual(rows.map((r) => r.name));
});

it("adds up what is known", () => {
  const n = columns[2] as (typeof columns)[number];
  expect(sumOf(rows, all, n)).toBe(15);
  expect(sumOf(rows, [3], n)).toBeNull();
});

describe("groups", () => {
  const by = columns[1] as (typeof columns)[number];
  it("come by their sums, closed at first", () => {
    const lines = groupedLines(rows, columns, all, parseSort("-n"), by, new Set());
    expect(names(rows, lines)).toEqual(["[y 1]", "[x 2]", "[– 1]"]);
  });
  it("show their rows when open", () => {
    const lines = groupedLines(rows, columns, all, parseSort("-n"), by, new Set(["x"]));
    expect(names(rows, lines)).toEqual(["[y 1]", "[x 2]", " aten::mm", " nccl", "[– 1]"]);
  });
});

describe("a tree", () => {
  const tree = [
    row("a", null, 1),
    row("b", null, 2, 1),
    row("c", null, 3, 2),
    row("d", null, 9, 1),
    row("e", null, 4),
  ];
  const every = tree.map((_, i) => i);
  const depth = (r: Row): number => r.depth;
  it("sorts siblings among themselves", () => {
    const lines = treeLines(tree, columns, every, parseSort("-n"), depth, () => false);
    expect(names(tree, lines)).toEqual(["e", "a", " d", " b", "  c"]);
  });
  it("keeps the ancestors of what matches", () => {
    expect(
      names(
        tree,
        treeLines(tree, columns, [2], [], depth, () => false),
      ),
    ).toEqual(["a", " b", "  c"]);
  });
  it("hides what is below a closed row", () => {
    const lines = treeLines(tree, columns, every, [], depth, (_, level) => level >= 1);
    expect(names(tree, lines)).toEqual(["a", " b", " d", "e"]);
    expect(lines.map((line) => line.kind === "row" && line.children)).toEqual([true, true, false, false]);
  });
  it("survives depths that jump and trees deeper than calls can nest", () => {
    const odd = [row("x", null, 1, 5), row("y", null, 1, 9)];
    expect(
      names(
        odd,
        treeLines(odd, columns, [0, 1], [], depth, () => false),
      ),
    ).toEqual(["x", " y"]);
    const deep = Array.from({ length: 30_000 }, (_, i) => row(`f${i}`, null, i, i));
    expect(
      treeLines(
        deep,
        columns,
        deep.map((_, i) => i),
        [],
        depth,
        () => false,
      ),
    ).toHaveLength(30_000);
  });
});
