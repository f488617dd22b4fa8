// SPDX-License-Identifier: Apache-2.0
// Functions with the columns of pstats. `percall` divides by all calls first, by primitive ones behind cumtime.
import { useMemo } from "preact/hooks";
import { FUNCTIONS, type FunctionRow } from "../../../api/generated";
import { functionKey } from "../../../lib/calltree";
import { fullPlace } from "../../../lib/place";
import { plainName } from "../../../lib/tree_text";
import { count } from "../../../lib/units";
import type { ReportHead } from "../../../state/report";
import { address, changed } from "../../../state/route";
import { CutNote } from "../../../ui/cut_note";
import { type Cells, countedIn, Described } from "../../../ui/described";

const per = (value: number | null, calls: number | null): number | null =>
  value === null || calls === null || calls === 0 ? null : value / calls;

const keyOf = (row: FunctionRow): string =>
  functionKey({ file: row.file ?? "", line: row.line, name: row.name });

const CELLS: Cells<FunctionRow> = {
  name: {
    value: (row) => plainName(row.name),
    href: (row) => address(changed({ shape: "sandwich", fn: keyOf(row) })),
  },
  calls: { width: 136, cell: (row) => callsText(row) },
  self_per_call_ns: { value: (row) => per(row.self_ns, row.calls) },
  total_per_call_ns: { value: (row) => per(row.total_ns, row.primitive_calls) },
  place: { value: (row) => fullPlace(row.file ?? "", row.line) },
};

export function callsText(row: FunctionRow): string {
  if (row.calls === null) return "–";
  return row.primitive_calls === null || row.primitive_calls === row.calls
    ? count(row.calls)
    : `${count(row.calls)} / ${count(row.primitive_calls)}`;
}

export interface FunctionTableProps {
  readonly head: ReportHead;
  readonly rows: readonly FunctionRow[];
  readonly unit: string;
  readonly full: boolean; // it is all the page shows
}

export function FunctionTable({ head, rows, unit, full }: FunctionTableProps) {
  const of = useMemo(() => countedIn(FUNCTIONS, unit), [unit]);
  return (
    <Described
      of={of}
      id="functions"
      label="Functions"
      cells={CELLS}
      rows={rows}
      what={["function", "functions"]}
      note={<CutNote head={head} table="functions" shown={rows.length} />}
      {...(full ? { fill: true } : { maxRows: 14 })}
    />
  );
}
