// SPDX-License-Identifier: Apache-2.0
// A comparison of two profiles.

export interface DiffRow {
  readonly name: string;
  readonly renamed_from: string | null;
  readonly before_ns: number | null;
  readonly after_ns: number | null;
  readonly change_ns: number;
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
  readonly rows: readonly DiffRow[];
}

export interface DiffDocument {
  readonly before: string;
  readonly after: string;
  readonly answer: string; // the sentence that sums it up
  readonly basis: string;
  readonly samples_before: number;
  readonly samples_after: number;
  readonly test: { readonly level: number; readonly least_effect_share: number };
  readonly remarks: readonly string[];
  readonly tables: readonly DiffTable[];
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
