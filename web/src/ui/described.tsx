// SPDX-License-Identifier: Apache-2.0
// A table as the server describes it. What a page adds are links and cells that look different.
import { useMemo } from "preact/hooks";
import type { CellValue } from "../lib/csv";
import { kernelNames } from "../lib/kernel_names";
import { shapesText } from "../lib/stack";
import { rankLabel } from "../lib/steps";
import type { ColumnDescription, TableDescription } from "../lib/table_description";
import { keyOf } from "../lib/text";
import type { FileInfo } from "../state/report";
import { pageAddress } from "../state/route";
import { Table } from "./table";
import type { Column, TableProps } from "./table_types";

export type Cells<Row> = Readonly<Record<string, Partial<Column<Row>>>>; // by key

export interface Surroundings<Row> {
  readonly files?: readonly FileInfo[]; // that rows may come from
  readonly origin?: number | null; // moments count from here
  readonly cells?: Cells<Row>;
  readonly opens?: boolean; // a row opens what its first column names
}

const QUANTITIES: Readonly<Record<ColumnDescription["quantity"], Column<unknown>["quantity"]>> = {
  text: "text",
  name: "text",
  prose: "text",
  file: "text",
  flag: "text",
  json: "text",
  id: "count",
  count: "count",
  number: "number",
  rate: "number",
  duration: "time",
  moment: "time",
  bytes: "bytes",
  share: "percent",
  flops: "flops",
};

const held = <Row,>({ key, group }: ColumnDescription, row: Row): unknown => {
  const fields = row as Readonly<Record<string, unknown>>;
  return group === undefined ? fields[key] : (fields[group] as Readonly<Record<string, unknown>>)[key];
};

function reader<Row>(
  column: ColumnDescription,
  { files = [], origin = null }: Surroundings<Row>,
): (row: Row) => CellValue {
  const at = (row: Row): unknown => held(column, row) ?? null;
  switch (column.quantity) {
    case "flag":
      return (row) => (at(row) === null ? null : at(row) ? "yes" : "no");
    case "file":
      return (row) => (at(row) === null ? null : rankLabel(files, at(row) as number));
    case "json":
      return (row) => (at(row) === null ? null : shapesText(at(row)));
    case "moment":
      return (row) => (at(row) === null || origin === null ? null : (at(row) as number) - origin);
    case "text":
    case "name":
    case "prose":
      return (row) => (at(row) === null ? null : String(at(row)));
    default:
      return (row) => at(row) as CellValue;
  }
}

function isPresent<Row>(column: ColumnDescription, rows: readonly Row[], files: number): boolean {
  const some = (test: (value: unknown) => boolean): boolean => rows.some((row) => test(held(column, row)));
  switch (column.presence) {
    case "value":
      return some((value) => (value ?? false) !== false);
    case "known":
      return some((value) => (value ?? null) !== null);
    case "nonzero":
      return some((value) => (value ?? 0) !== 0);
    case "files":
      return files > 1;
    default:
      return true;
  }
}

function named<Row>(
  what: ColumnDescription["names"],
  rows: readonly Row[],
  value: (row: Row) => CellValue,
): Partial<Column<Row>> {
  const text = (row: Row): string | null => {
    const name = value(row);
    return typeof name === "string" ? name : null;
  };
  const to = (address: (name: string) => string) => (row: Row) => {
    const name = text(row);
    return name === null ? null : address(name);
  };
  if (what === "operator") return { href: to((name) => pageAddress("operators", { open: keyOf(name) })) };
  if (what === "event") return { href: to((name) => pageAddress("timeline", { q: name })) };
  if (what !== "kernel") return {};
  const shown = kernelNames(rows.map(text).filter((name) => name !== null));
  return { mono: true, shown: to(shown), href: to((name) => pageAddress("kernels", { open: keyOf(name) })) };
}

const CHARACTER = 7.6; // px, of the table's font
const PADDING = 22;
const WIDEST = 30; // characters of a word that is not cut

// Words have the room that they need, and operators beside a name; other names and sentences what is left.
function widthOf<Row>(
  column: ColumnDescription,
  rows: readonly Row[],
  value: (row: Row) => CellValue,
): Partial<Column<Row>> {
  const { quantity, names, spare } = column;
  const beside = names === "operator" && spare !== undefined;
  if (!beside && !["text", "file", "flag"].includes(quantity)) return {};
  const longest = rows.reduce((most, row) => Math.max(most, String(value(row) ?? "").length), 4);
  const shown = Math.min(WIDEST, Math.max(longest, column.title.length));
  return { width: Math.ceil(shown * CHARACTER + PADDING), whole: !beside && longest <= WIDEST };
}

export function columnsOf<Row>(
  of: TableDescription<Row>,
  rows: readonly Row[],
  around: Surroundings<Row> = {},
): readonly Column<Row>[] {
  const { files = [], cells = {}, opens = false } = around;
  const columns: Column<Row>[] = [];
  for (const column of of) {
    const { key, title, quantity, names } = column;
    const cell = cells[key];
    if (column.derived && cell?.value === undefined) continue;
    const value = cell?.value ?? reader(column, around);
    const { href, ...look } = named(names, rows, value);
    columns.push({
      key,
      title,
      quantity: QUANTITIES[quantity],
      value,
      ...(column.bar ? { bar: true } : {}),
      ...(column.like === undefined ? {} : { like: column.like }),
      ...(column.spare === undefined ? {} : { spare: column.spare }),
      ...(column.help === undefined ? {} : { help: column.help }),
      ...(column.hidden || !isPresent(column, rows, files.length) ? { hidden: true } : {}),
      ...(column.sum === false || quantity === "id" || quantity === "moment" ? { sum: false } : {}),
      ...(quantity === "json" ? { mono: true } : {}),
      ...widthOf(column, rows, value),
      ...look,
      ...(href === undefined || (opens && columns.every(({ hidden }) => hidden)) ? {} : { href }),
      ...cell,
    });
  }
  // A table always shows its first column: what is hidden before that stands behind it.
  const first = columns.findIndex((column) => !column.hidden);
  return first > 0 ? [columns[first] as Column<Row>, ...columns.toSpliced(first, 1)] : columns;
}

// What was counted in the place of time.
export const countedIn = <Row,>(of: TableDescription<Row>, unit: string): TableDescription<Row> =>
  unit === "ns"
    ? of
    : of.map((column) =>
        column.quantity === "duration"
          ? { ...column, quantity: unit === "bytes" ? "bytes" : "count" }
          : column,
      );

export interface DescribedProps<Row>
  extends Omit<TableProps<Row>, "columns">,
    Omit<Surroundings<Row>, "opens"> {
  readonly of: TableDescription<Row>;
}

export function Described<Row>({ of, files, origin, cells, ...table }: DescribedProps<Row>) {
  const { rows, onOpen } = table;
  const columns = useMemo(
    () => columnsOf(of, rows, { files, origin, cells, opens: onOpen !== undefined }),
    [of, rows, files, origin, cells],
  );
  return <Table {...table} columns={columns} />;
}
