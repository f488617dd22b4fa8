// SPDX-License-Identifier: Apache-2.0
// What the page of functions asks for, and how its values are written.
import type { FunctionThread } from "../../../api/generated";
import type { FunctionsSection } from "../../../api/report";
import type { CallTree, NodeColumns, TreeHead } from "../../../lib/calltree";
import { bytes, count, time } from "../../../lib/units";

export interface FunctionsReport {
  readonly functions:
    | (FunctionsSection & {
        readonly thread?: number | null; // of `threads`: the one shown alone
        readonly threads?: readonly FunctionThread[]; // where there are several
      })
    | null;
}

export interface TreeAnswer extends TreeHead {
  readonly nodes: NodeColumns;
}

export const NODES_ASKED = 8000; // well below 1 MB

export const ROWS_ASKED = 4000; // about 1 MB

export const SHAPES = [
  { key: "icicle", title: "Icicle" },
  { key: "flame", title: "Flame" },
  { key: "sunburst", title: "Sunburst" },
  { key: "time", title: "Time order" },
  { key: "sandwich", title: "Sandwich" },
  { key: "table", title: "Table" },
] as const;

// Shares of what is shown below which a call is left to a grey block.
export const CUTOFFS = [0, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.02, 0.05] as const;
export const DEFAULT_CUTOFF = 0.001;
export const DEFAULT_DEPTH = 20;

// Values are times, unless the profile counts something else.
export function valueIn(unit: string, value: number): string {
  if (unit === "ns" || unit === "time") return time(value);
  if (unit === "bytes") return bytes(value);
  return `${count(value)} ${unit}`;
}

export function rangeText(tree: CallTree, node: number): string {
  const [low, high] = [tree.low[node] as number, tree.high[node] as number];
  if (low === high) return valueIn(tree.unit, high);
  if (low === 0) return `≤ ${valueIn(tree.unit, high)}`;
  return `${valueIn(tree.unit, low)} – ${valueIn(tree.unit, high)}`;
}

// "{built-in method torch.conv2d}" and torch's "<built-in method conv2d of type object>" without the wrapping.
export function plainName(name: string): string {
  return /^(<(built-in|method) .*>|\{.*\})$/.test(name) ? name.slice(1, -1) : name;
}

// The text as an ECMAScript pattern that matches just it.
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
