// SPDX-License-Identifier: Apache-2.0
// A comparison of two profiles, and the sentence that sums it up.
import { CATEGORY_TITLES } from "./category";
import { shortenMiddle, visible } from "./text";
import { percent, time } from "./units";

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
  readonly answer?: string;
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

function because(rows: readonly DiffRow[], change: number): string {
  const same = rows.filter((row) => Math.sign(row.change_ns) === Math.sign(change));
  const most = same.reduce<DiffRow | null>(
    (a, b) => (a === null || Math.abs(b.change_ns) > Math.abs(a.change_ns) ? b : a),
    null,
  );
  if (most === null) return "";
  const title =
    CATEGORY_TITLES[most.name as keyof typeof CATEGORY_TITLES] ?? visible(shortenMiddle(most.name, 60));
  return ` Most of it is ${title}: ${time(most.after_ns)} instead of ${time(most.before_ns)}.`;
}

export function diffAnswer(diff: DiffDocument): string {
  if (diff.answer !== undefined) return diff.answer;
  const steps = diff.tables.find((table) => table.table === "steps");
  const step = steps?.rows.find((row) => row.name === "step") ?? steps?.rows[0];
  if (steps !== undefined && step !== undefined) {
    const parts = steps.rows.filter((row) => row !== step);
    const change =
      step.change_share === null ? "" : ` (${step.change_share > 0 ? "+" : ""}${percent(step.change_share)})`;
    const text = `A step takes ${time(step.after_ns)} instead of ${time(step.before_ns)}${change}`;
    if (step.verdict === "noise" || step.verdict === "same")
      return `${text}: no more than the steps scatter anyway.${step.verdict === "noise" ? because(parts, step.change_ns) : ""}`;
    const doubt = step.verdict === "no_spread" ? "; with one step on a side nobody knows the noise" : "";
    return `${text}${doubt}.${because(parts, step.change_ns)}`;
  }
  const table = diff.tables[0];
  if (table === undefined || table.rows.length === 0) return "Nothing could be compared.";
  const sum = (value: (row: DiffRow) => number | null): number =>
    table.rows.reduce((all, row) => all + (value(row) ?? 0), 0);
  const before = sum((row) => row.before_ns);
  const after = sum((row) => row.after_ns);
  const share = before > 0 ? ` (${after > before ? "+" : ""}${percent((after - before) / before)})` : "";
  return `The code took ${time(after)} instead of ${time(before)}${share}.${because(table.rows, after - before)}`;
}
