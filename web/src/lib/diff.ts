// SPDX-License-Identifier: Apache-2.0
// A comparison of two profiles. What is compared is time, memory or a number of samples: the names of the values say
// which, and so does the document.
import type { ColumnQuantity } from "./units";

export type DiffUnit = "ns" | "bytes" | "samples" | "count";
type Side = "before" | "after" | "change";
type ValueKey = `${Side}${"_ns" | "_bytes" | ""}`;

export interface DiffRow extends Readonly<Partial<Record<ValueKey, number>>> {
  readonly name: string;
  readonly renamed_from: string | null;
  readonly change_share: number | null;
  readonly total_change_share: number | null;
  readonly calls_before: number | null;
  readonly calls_after: number | null;
  readonly verdict: string;
  readonly p_value: number | null;
}

export interface DiffTable {
  readonly table: string;
  readonly measure: string;
  readonly rows_total: number; // sent or not
  readonly rows: readonly DiffRow[];
}

export interface DiffDocument {
  readonly before: string;
  readonly after: string;
  readonly answer: string; // the sentence that sums it up
  readonly basis: "step" | "trace" | "profile";
  readonly unit: DiffUnit;
  readonly samples_before: number;
  readonly samples_after: number;
  readonly test: { readonly level: number; readonly least_effect_share: number };
  readonly remarks: readonly string[];
  readonly tables: readonly DiffTable[];
}

const SUFFIX: Readonly<Record<DiffUnit, "_ns" | "_bytes" | "">> = {
  ns: "_ns",
  bytes: "_bytes",
  samples: "",
  count: "",
};
export const valueKey = (side: Side, unit: DiffUnit): ValueKey => `${side}${SUFFIX[unit]}`;
export const sideOf = (row: DiffRow, side: Side, unit: DiffUnit): number | null =>
  row[valueKey(side, unit)] ?? null;
export const quantityOf = (unit: DiffUnit): ColumnQuantity & ("time" | "bytes" | "count") =>
  unit === "ns" ? "time" : unit === "bytes" ? "bytes" : "count";

// What is more than noise, as far as anybody knows.
export const matters = (row: DiffRow): boolean => !["noise", "same", "no_spread"].includes(row.verdict);

export interface Change {
  readonly row: DiffRow;
  readonly change: number;
  readonly share: number | null; // of the whole change; negative: against it
}
export interface Changes {
  readonly shown: readonly Change[]; // the largest effect first
  readonly others: number; // how many changed besides
  readonly othersChange: number;
}

// The parts that changed, the largest effect first. The whole step is no part of itself.
export function largestChanges(table: DiffTable, unit: DiffUnit, most: number): Changes {
  const all = table.rows
    .filter((row) => table.table !== "steps" || row.name !== "step")
    .map((row) => ({ row, change: sideOf(row, "change", unit) ?? 0, share: row.total_change_share }))
    .filter(({ change }) => change !== 0)
    .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const rest = all.slice(most);
  return {
    shown: all.slice(0, most),
    others: rest.length,
    othersChange: rest.reduce((sum, { change }) => sum + change, 0),
  };
}

export const VERDICTS: Readonly<Record<string, string>> = {
  slower: "slower",
  faster: "faster",
  noise: "noise",
  same: "same",
  no_spread: "no spread",
  new: "new",
  gone: "gone",
  renamed: "renamed",
};

const TITLES: Readonly<Record<string, string>> = {
  steps: "Step",
  operators: "Operators, CPU",
  operators_device: "Operators, device",
  runtime: "Runtime calls",
  kernels: "Kernels",
  modules: "Modules",
  functions: "Functions",
};

export const tableTitle = (table: DiffTable): string =>
  TITLES[table.table] ?? table.table.replaceAll("_", " ");
