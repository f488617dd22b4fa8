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
import { field, kernelShown } from "../../../ui/columns";
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
  const calls = whole ? "count" : "number";
  const side = (of: "before" | "after" | "change", title: string): Column<DiffRow> => ({
    key: valueKey(of, unit),
    title,
    quantity,
    like: "largest",
    value: (row) => sideOf(row, of, unit),
  });
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
    { ...side("before", "Before"), width: 108 },
    { ...side("after", "After"), width: 108 },
    { ...side("change", "Change"), width: 112, signed: matters },
    field("change_share", "Change", "percent", { width: 96, spare: 1, signed: matters }),
    field("total_change_share", "Of all change", "percent", {
      width: 122,
      bar: true,
      help: "Share of the total change that this explains; what went against it is negative",
    }),
    field("verdict", "Verdict", "text", {
      width: 104,
      value: (row) => VERDICTS[row.verdict] ?? row.verdict,
      cell: (row) => (
        <span class={`verdict verdict-${row.verdict}`}>{VERDICTS[row.verdict] ?? row.verdict}</span>
      ),
    }),
    field("p_value", "p", "number", {
      width: 76,
      spare: 3,
      help: "Probability of such a difference by chance alone",
    }),
    field("calls_before", "Calls before", calls, { width: 112, spare: 2, hidden: steps }),
    field("calls_after", "Calls after", calls, { width: 104, spare: 2, hidden: steps }),
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
