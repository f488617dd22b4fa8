// SPDX-License-Identifier: Apache-2.0
// The section modules of a report (docs/analyses/modules.md), and its rows as a tree to draw.
import type { ModuleRow } from "../../../api/generated";
import { buildTree, type CallTree, type PlainNode } from "../../../lib/calltree";

export interface ModulesReport {
  readonly modules: {
    readonly host_ns: number | null;
    readonly device_ns: number | null;
    readonly host_sentence: string | null; // by host time
    readonly rows: readonly ModuleRow[];
  } | null;
}

export type Side = "device" | "host"; // whose time is shown

export const totalOf = (row: ModuleRow, side: Side): number => row[`${side}_total_ns`];
export const selfOf = (row: ModuleRow, side: Side): number => row[`${side}_self_ns`];

// Rows stand parents first, with their depth.
export function moduleTree(rows: readonly ModuleRow[], side: Side): CallTree {
  const open: number[] = [];
  const nodes: PlainNode[] = rows.map((row, i) => {
    open.length = Math.min(row.depth, open.length);
    const parent = open[row.depth - 1] ?? null;
    open.push(i);
    return {
      parent,
      function: i,
      total: totalOf(row, side),
      self: selfOf(row, side),
      calls: row.calls,
    };
  });
  const functions = rows.map((row) => ({ file: row.path ?? "", line: null, name: row.name }));
  const total = rows.reduce((sum, row) => sum + selfOf(row, side), 0);
  return buildTree({ source: "tree", total, functions, nodes });
}
