// SPDX-License-Identifier: Apache-2.0
// What the page of functions asks for, and how its values are written.
import type { FunctionThread } from "../../../api/generated";
import type { FunctionsSection } from "../../../api/report";
import type { NodeColumns, TreeHead } from "../../../lib/calltree";

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

// The text as an ECMAScript pattern that matches just it.
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
