// SPDX-License-Identifier: Apache-2.0
// What a table shows of its rows: filtered, sorted, grouped or as a tree, as a flat list of lines. No drawing.
import type { CellValue } from "./csv";
import { compareValues, type SortKey, sortedPositions } from "./sort";

export interface ModelColumn<Row> {
  readonly key: string;
  readonly value: (row: Row) => CellValue;
}

export type Line =
  | { readonly kind: "row"; readonly position: number; readonly depth: number; readonly children: boolean }
  | {
      readonly kind: "group";
      readonly name: string;
      readonly positions: readonly number[];
      readonly open: boolean;
    };

// All words have to occur somewhere in the row's text; case is ignored.
export function wordsOf(filter: string): readonly string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

export function haystacks<Row>(
  rows: readonly Row[],
  columns: readonly ModelColumn<Row>[],
): (position: number) => string {
  const made = new Map<number, string>();
  return (position) => {
    let text = made.get(position);
    if (text === undefined) {
      const row = rows[position] as Row;
      text = columns
        .map((c) => c.value(row))
        .filter((v) => typeof v === "string")
        .join("\n")
        .toLowerCase();
      made.set(position, text);
    }
    return text;
  };
}

export function matching(
  count: number,
  filter: string,
  haystack: (position: number) => string,
): readonly number[] {
  const words = wordsOf(filter);
  const positions: number[] = [];
  for (let i = 0; i < count; ++i) {
    if (words.length === 0) positions.push(i);
    else {
      const text = haystack(i);
      if (words.every((word) => text.includes(word))) positions.push(i);
    }
  }
  return positions;
}

function sorters<Row>(
  rows: readonly Row[],
  columns: readonly ModelColumn<Row>[],
  sort: readonly SortKey[],
): { descending: boolean; value: (position: number) => CellValue }[] {
  return sort.flatMap(({ key, descending }) => {
    const column = columns.find((c) => c.key === key);
    return column ? [{ descending, value: (p: number) => column.value(rows[p] as Row) }] : [];
  });
}

export function flatLines<Row>(
  rows: readonly Row[],
  columns: readonly ModelColumn<Row>[],
  positions: readonly number[],
  sort: readonly SortKey[],
): Line[] {
  return sortedPositions(positions, sorters(rows, columns, sort)).map((position) => ({
    kind: "row",
    position,
    depth: 0,
    children: false,
  }));
}

// Sum of a column over rows; null if none has a value.
export function sumOf<Row>(
  rows: readonly Row[],
  positions: readonly number[],
  column: ModelColumn<Row>,
): number | null {
  let sum: number | null = null;
  for (const p of positions) {
    const value = column.value(rows[p] as Row);
    if (typeof value === "number") sum = (sum ?? 0) + value;
  }
  return sum;
}

// Groups in the order of their sums (or of their names); rows inside as sorted.
export function groupedLines<Row>(
  rows: readonly Row[],
  columns: readonly ModelColumn<Row>[],
  positions: readonly number[],
  sort: readonly SortKey[],
  by: ModelColumn<Row>,
  open: ReadonlySet<string>,
): Line[] {
  const groups = new Map<string, number[]>();
  for (const p of sortedPositions(positions, sorters(rows, columns, sort))) {
    const value = by.value(rows[p] as Row);
    const name = value === null || value === undefined ? "–" : String(value);
    const members = groups.get(name);
    if (members) members.push(p);
    else groups.set(name, [p]);
  }
  const first = sort[0];
  const column = first ? columns.find((c) => c.key === first.key) : undefined;
  const order = [...groups.entries()].map(([name, members]) => ({
    name,
    members,
    sum: column && column.key !== by.key ? sumOf(rows, members, column) : null,
  }));
  if (first && column) {
    order.sort((a, b) =>
      a.sum === null && b.sum === null
        ? compareValues(a.name, b.name, first.key === by.key && first.descending)
        : compareValues(a.sum, b.sum, first.descending),
    );
  }
  return order.flatMap(({ name, members }) => {
    const isOpen = open.has(name);
    const head: Line = { kind: "group", name, positions: members, open: isOpen };
    if (!isOpen) return [head];
    return [head, ...members.map((position): Line => ({ kind: "row", position, depth: 1, children: false }))];
  });
}

// Rows that come as a tree: parents before their children, with a depth each. Siblings are sorted among themselves;
// a row that matches the filter keeps its ancestors.
export function treeLines<Row>(
  rows: readonly Row[],
  columns: readonly ModelColumn<Row>[],
  positions: readonly number[],
  sort: readonly SortKey[],
  depthOf: (row: Row) => number,
  closed: (position: number, depth: number) => boolean,
): Line[] {
  const children = new Map<number, number[]>();
  const parents: number[] = [];
  const path: number[] = [];
  for (let i = 0; i < rows.length; ++i) {
    const depth = Math.max(0, Math.min(depthOf(rows[i] as Row), path.length));
    path.length = depth;
    const parent = depth === 0 ? -1 : (path[depth - 1] as number);
    parents.push(parent);
    const siblings = children.get(parent);
    if (siblings) siblings.push(i);
    else children.set(parent, [i]);
    path.push(i);
  }
  const shown = new Set<number>();
  for (const p of positions) {
    for (let at = p; at >= 0 && !shown.has(at); at = parents[at] as number) shown.add(at);
  }
  const keys = sorters(rows, columns, sort);
  const lines: Line[] = [];
  // A stack of our own: files may nest deeper than calls can.
  const stack: { list: number[]; at: number; depth: number }[] = [
    { list: sortedPositions(children.get(-1) ?? [], keys), at: 0, depth: 0 },
  ];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const position = top.list[top.at++];
    if (position === undefined) {
      stack.pop();
      continue;
    }
    if (!shown.has(position)) continue;
    const below = (children.get(position) ?? []).filter((c) => shown.has(c));
    lines.push({ kind: "row", position, depth: top.depth, children: below.length > 0 });
    if (below.length > 0 && !closed(position, top.depth)) {
      stack.push({ list: sortedPositions(below, keys), at: 0, depth: top.depth + 1 });
    }
  }
  return lines;
}
