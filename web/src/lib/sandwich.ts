// SPDX-License-Identifier: Apache-2.0
// One function in the middle: who called it above, what it called below. From paths both sides are trees of
// several levels; from pairs one level each, which is all that such a profile knows.
import {
  buildTree,
  type CallTree,
  children,
  type FunctionPlace,
  functionKey,
  type RawNode,
} from "./calltree";

export interface Sandwich {
  readonly callers: CallTree; // its roots are the direct callers
  readonly callees: CallTree;
  readonly total: number;
}

export interface PairRow extends FunctionPlace {
  readonly total_ns: number | null;
  readonly self_ns: number | null;
  readonly calls: number | null;
}

interface Merged {
  total: number;
  self: number;
  calls: number;
  readonly fn: number;
  readonly below: Map<number, Merged>;
}
const empty = (fn: number): Merged => ({ total: 0, self: 0, calls: 0, fn, below: new Map() });

function child(of: Merged, fn: number): Merged {
  let next = of.below.get(fn);
  if (next === undefined) {
    next = empty(fn);
    of.below.set(fn, next);
  }
  return next;
}

// The places of a function that have no place of it above: recursion counts once.
export function outermost(tree: CallTree, fn: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < tree.fn.length; i++) {
    if (tree.fn[i] !== fn) continue;
    let p = tree.parent[i] as number;
    while (p >= 0 && tree.fn[p] !== fn) p = tree.parent[p] as number;
    if (p < 0) found.push(i);
  }
  return found;
}

export function sandwichOfPaths(tree: CallTree, fn: number): Sandwich {
  const up = empty(fn);
  const down = empty(fn);
  let total = 0;
  const addBelow = (into: Merged, node: number): void => {
    for (const kid of children(tree, node)) {
      const slot = child(into, tree.fn[kid] as number);
      slot.total += tree.high[kid] as number;
      slot.self += tree.self[kid] as number;
      slot.calls += tree.calls[kid] as number;
      addBelow(slot, kid);
    }
  };
  for (const node of outermost(tree, fn)) {
    const time = tree.high[node] as number;
    total += time;
    addBelow(down, node);
    let slot = up;
    for (let p = tree.parent[node] as number; p >= 0; p = tree.parent[p] as number) {
      slot = child(slot, tree.fn[p] as number);
      slot.total += time;
      slot.calls = Number.NaN;
      slot.self = Number.NaN;
    }
  }
  return { callers: asTree(tree, up, total), callees: asTree(tree, down, total), total };
}

function asTree(tree: CallTree, top: Merged, total: number): CallTree {
  const nodes: RawNode[] = [];
  const write = (of: Merged, parent: number | null): void => {
    for (const next of of.below.values()) {
      const index = nodes.length;
      nodes.push({
        parent,
        function: next.fn,
        total_ns: next.total,
        self_ns: Number.isNaN(next.self) ? null : next.self,
        calls: Number.isNaN(next.calls) ? null : next.calls,
      });
      write(next, index);
    }
  };
  write(top, null);
  return buildTree({ source: "tree", unit: tree.unit, total_ns: total, functions: tree.functions, nodes });
}

// `callers` and `callees` as in the report of a profile of pairs.
export function sandwichOfPairs(
  total: number,
  callers: readonly PairRow[],
  callees: readonly PairRow[],
): Sandwich {
  const side = (rows: readonly PairRow[]): CallTree =>
    buildTree({
      source: "pairs",
      total_ns: total,
      nodes: rows.map((row) => ({
        parent: null,
        file: row.file,
        line: row.line,
        name: row.name,
        total_ns: row.total_ns ?? 0,
        self_ns: row.self_ns,
        calls: row.calls,
      })),
    });
  return { callers: side(callers), callees: side(callees), total };
}

export function findFunction(tree: CallTree, key: string): number {
  return tree.functions.findIndex((f) => functionKey(f) === key);
}
