// SPDX-License-Identifier: Apache-2.0
// The section modules of a report (docs/analyses/modules.md), and its rows as a tree to draw.
import { buildTree, type CallTree, type PlainNode } from "../../../lib/calltree";

export interface ModuleRow {
  readonly path: string | null;
  readonly name: string;
  readonly class: string | null; // null: what is outside of all modules
  readonly module_id: number | null;
  readonly depth: number;
  readonly calls: number;
  readonly recomputed_calls: number;
  readonly host_total_ns: number;
  readonly host_self_ns: number;
  readonly device_total_ns: number;
  readonly device_self_ns: number;
  readonly forward_host_total_ns: number;
  readonly forward_host_self_ns: number;
  readonly forward_device_total_ns: number;
  readonly forward_device_self_ns: number;
  readonly backward_host_total_ns: number;
  readonly backward_host_self_ns: number;
  readonly backward_device_total_ns: number;
  readonly backward_device_self_ns: number;
}

export interface ModulesReport {
  readonly modules: {
    readonly host_ns: number | null;
    readonly device_ns: number | null;
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
