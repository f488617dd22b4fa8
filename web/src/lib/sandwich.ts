// SPDX-License-Identifier: Apache-2.0
// One function in the middle: who called it above, what it called below, each side a tree whose roots are the
// direct callers or callees.
import {
  buildTree,
  type CallTree,
  type FunctionPlace,
  functionKey,
  type NodeColumns,
  type TreeHead,
  treeOfColumns,
} from "./calltree";

export interface Sandwich {
  readonly callers: CallTree;
  readonly callees: CallTree;
  readonly total: number; // of the function, 0 if it is not known
}

export interface PairRow extends FunctionPlace {
  readonly total_ns: number | null;
  readonly self_ns: number | null;
  readonly calls: number | null;
}

export interface FunctionAnswer extends TreeHead {
  readonly function: { readonly total: number | null; readonly self: number | null };
  readonly callers: NodeColumns;
  readonly callees: NodeColumns;
  readonly lines?: readonly { readonly line: number | null; readonly self: number }[]; // most time first
}

// The server's trees have the function itself as their root: it is drawn once, between them.
export function sandwichOf(answer: FunctionAnswer): Sandwich {
  const total = answer.function.total ?? answer.function.self ?? 0;
  return {
    callers: withoutRoot(treeOfColumns(answer, answer.callers)),
    callees: withoutRoot(treeOfColumns(answer, answer.callees)),
    total,
  };
}

export function withoutRoot(tree: CallTree): CallTree {
  const keep = [...tree.parent.keys()].filter((i) => (tree.parent[i] as number) >= 0);
  const place = new Map(keep.map((old, i) => [old, i]));
  return {
    ...buildTree({
      source: tree.source,
      unit: tree.unit,
      total: tree.total,
      functions: tree.functions,
      nodes: keep.map((i) => ({
        parent: place.get(tree.parent[i] as number) ?? null,
        function: tree.fn[i] as number,
        low: tree.low[i] as number,
        high: tree.high[i] as number,
        self: Number.isNaN(tree.self[i]) ? null : (tree.self[i] as number),
        calls: Number.isNaN(tree.calls[i]) ? null : (tree.calls[i] as number),
      })),
    }),
    recursive: Uint8Array.from(keep, (i) => tree.recursive[i] as number),
    hidden: Float64Array.from(keep, (i) => tree.hidden[i] as number),
  };
}

// `callers` and `callees` of a report: one level each.
export function sandwichOfPairs(
  total: number,
  callers: readonly PairRow[],
  callees: readonly PairRow[],
): Sandwich {
  const side = (rows: readonly PairRow[]): CallTree =>
    buildTree({
      source: "pairs",
      total,
      nodes: rows.map((row) => ({
        parent: null,
        file: row.file,
        line: row.line,
        name: row.name,
        total: row.total_ns ?? 0,
        self: row.self_ns,
        calls: row.calls,
      })),
    });
  return { callers: side(callers), callees: side(callees), total };
}

export function findFunction(tree: CallTree, key: string): FunctionPlace | undefined {
  return tree.functions.find((f) => functionKey(f) === key);
}
