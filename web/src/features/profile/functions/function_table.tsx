// SPDX-License-Identifier: Apache-2.0
// Functions with the columns of pstats. `percall` divides by all calls first, by primitive ones behind cumtime.

import { functionKey } from "../../../lib/calltree";
import { fullPlace } from "../../../lib/place";
import { count } from "../../../lib/units";
import type { ReportHead } from "../../../state/report";
import { address, changed } from "../../../state/route";
import { CutNote } from "../../../ui/cut_note";
import { type Column, Table } from "../../../ui/table";
import { type FunctionRow, plainName } from "./data";

const per = (value: number | null, calls: number | null): number | null =>
  value === null || calls === null || calls === 0 ? null : value / calls;

const keyOf = (row: FunctionRow): string =>
  functionKey({ file: row.file ?? "", line: row.line, name: row.name });

function columns(quantity: "time" | "bytes" | "count"): readonly Column<FunctionRow>[] {
  return [
    {
      key: "name",
      title: "Function",
      quantity: "text",
      value: (row) => plainName(row.name),
      href: (row) => address(changed({ shape: "sandwich", fn: keyOf(row) })),
    },
    {
      key: "calls",
      title: "ncalls",
      quantity: "count",
      width: 136,
      value: (row) => row.calls,
      cell: (row) => callsText(row),
      help: "All calls; with recursion all / primitive (not made from inside a call of the function)",
    },
    {
      key: "self_ns",
      title: "tottime",
      quantity,
      bar: true,
      value: (row) => row.self_ns,
      help: "In the function itself",
    },
    {
      key: "self_per_call_ns",
      title: "percall",
      quantity,
      sum: false,
      value: (row) => per(row.self_ns, row.calls),
      help: "tottime ÷ calls",
    },
    {
      key: "total_ns",
      title: "cumtime",
      quantity,
      bar: true,
      sum: false,
      value: (row) => row.total_ns,
      help: "In the function and all it calls; recursion counts once",
    },
    {
      key: "total_per_call_ns",
      title: "percall",
      quantity,
      sum: false,
      value: (row) => per(row.total_ns, row.primitive_calls),
      help: "cumtime ÷ primitive calls",
    },
    {
      key: "package",
      title: "Package",
      quantity: "text",
      width: 120,
      value: (row) => row.package,
    },
    {
      key: "place",
      title: "Place",
      quantity: "text",
      value: (row) => fullPlace(row.file ?? "", row.line),
    },
  ];
}

export function callsText(row: FunctionRow): string {
  if (row.calls === null) return "–";
  return row.primitive_calls === null || row.primitive_calls === row.calls
    ? count(row.calls)
    : `${count(row.calls)} / ${count(row.primitive_calls)}`;
}

const TABLES = { time: columns("time"), bytes: columns("bytes"), count: columns("count") };

export interface FunctionTableProps {
  readonly head: ReportHead;
  readonly rows: readonly FunctionRow[];
  readonly unit: string;
  readonly full: boolean; // it is all the page shows
}

export function FunctionTable({ head, rows, unit, full }: FunctionTableProps) {
  const quantity = unit === "ns" ? "time" : unit === "bytes" ? "bytes" : "count";
  return (
    <Table
      id="functions"
      label="Functions"
      columns={TABLES[quantity]}
      rows={rows}
      what={["function", "functions"]}
      note={<CutNote head={head} table="functions" shown={rows.length} />}
      {...(full ? { fill: true } : { maxRows: 14 })}
    />
  );
}
