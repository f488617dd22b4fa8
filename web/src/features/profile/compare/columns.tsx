// SPDX-License-Identifier: Apache-2.0
// The columns of a comparison.

import { CATEGORY_TITLES, type StepCategory } from "../../../api/categories";
import {
  type DiffRow,
  type DiffTable,
  type DiffUnit,
  matters,
  quantityOf,
  sideOf,
  VERDICTS,
  valueKey,
} from "../../../lib/diff";
import { kernelName } from "../../../lib/kernel_names";
import { kernelShown } from "../../../ui/columns";
import { Name } from "../../../ui/name";
import type { Column } from "../../../ui/table";

// How a row is called where it is shown.
export function rowNames(table: DiffTable): (row: DiffRow) => string {
  if (table.table === "steps") return (row) => CATEGORY_TITLES[row.name as StepCategory] ?? "Whole step";
  if (table.table !== "kernels") return (row) => row.name;
  const shown = kernelShown(table.rows, (row) => row.name);
  return (row) => shown(row) ?? row.name;
}

const cache = new WeakMap<DiffTable, readonly Column<DiffRow>[]>();

// The same columns for the same table: a table is laid out anew only if they change.
export function diffColumns(table: DiffTable, unit: DiffUnit): readonly Column<DiffRow>[] {
  const known = cache.get(table);
  if (known) return known;
  const steps = table.table === "steps";
  const kernels = table.table === "kernels";
  const quantity = quantityOf(unit);
  const shown = rowNames(table);
  // Calls of a mean step need not be whole.
  const whole = table.rows.every(
    (row) => Number.isInteger(row.calls_before ?? 0) && Number.isInteger(row.calls_after ?? 0),
  );
  const columns: readonly Column<DiffRow>[] = [
    {
      key: "name",
      title: steps ? "Part of a step" : "Name",
      quantity: "text",
      mono: kernels,
      value: (row) => row.name,
      ...(kernels ? { shown } : {}),
      cell: (row) => {
        if (steps) return row.name === "step" ? <strong>{shown(row)}</strong> : shown(row);
        if (row.renamed_from === null) return undefined;
        return (
          <span class="renamed" title={`was ${row.renamed_from.slice(0, 2000)}`}>
            <Name text={row.name} shown={kernels ? kernelName(row.name) : row.name} mono />
            <span class="muted">renamed</span>
          </span>
        );
      },
    },
    {
      key: valueKey("before", unit),
      title: "Before",
      quantity,
      width: 108,
      like: "largest",
      value: (row) => sideOf(row, "before", unit),
    },
    {
      key: valueKey("after", unit),
      title: "After",
      quantity,
      width: 108,
      like: "largest",
      value: (row) => sideOf(row, "after", unit),
    },
    {
      key: valueKey("change", unit),
      title: "Change",
      quantity,
      width: 112,
      signed: matters,
      like: "largest",
      value: (row) => sideOf(row, "change", unit),
    },
    {
      key: "change_share",
      title: "Change",
      quantity: "percent",
      width: 96,
      spare: 1,
      signed: matters,
      value: (row) => row.change_share,
    },
    {
      key: "total_change_share",
      title: "Of all change",
      quantity: "percent",
      width: 122,
      bar: true,
      help: "Share of the total change that this explains; what went against it is negative",
      value: (row) => row.total_change_share,
    },
    {
      key: "verdict",
      title: "Verdict",
      quantity: "text",
      width: 104,
      value: (row) => VERDICTS[row.verdict] ?? row.verdict,
      cell: (row) => (
        <span class={`verdict verdict-${row.verdict}`}>{VERDICTS[row.verdict] ?? row.verdict}</span>
      ),
    },
    {
      key: "p_value",
      title: "p",
      quantity: "number",
      width: 76,
      spare: 3,
      help: "Probability of such a difference by chance alone",
      value: (row) => row.p_value,
    },
    {
      key: "calls_before",
      title: "Calls before",
      quantity: whole ? "count" : "number",
      width: 112,
      spare: 2,
      hidden: steps,
      value: (row) => row.calls_before,
    },
    {
      key: "calls_after",
      title: "Calls after",
      quantity: whole ? "count" : "number",
      width: 104,
      spare: 2,
      hidden: steps,
      value: (row) => row.calls_after,
    },
    {
      key: "largest",
      title: "Larger of both",
      quantity,
      width: 120,
      hidden: true,
      value: (row) => Math.max(sideOf(row, "before", unit) ?? 0, sideOf(row, "after", unit) ?? 0),
    },
  ];
  cache.set(table, columns);
  return columns;
}
