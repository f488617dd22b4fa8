// SPDX-License-Identifier: Apache-2.0
// What a page tells a table: its columns, its rows, and what happens when a row is opened.
import type { ComponentChildren } from "preact";
import type { CellValue } from "../lib/csv";
import type { ColumnFormat, ColumnQuantity } from "../lib/units";

export interface Column<Row> {
  readonly key: string; // in the address, in downloads: the field's name in the report
  readonly title: string;
  readonly quantity: ColumnQuantity | "text";
  readonly value: (row: Row) => CellValue; // what is sorted, filtered, copied and downloaded
  readonly bar?: boolean; // a bar behind the number, against the column's largest
  readonly width?: number; // px; without it text takes the room that is left
  readonly whole?: boolean; // keeps its width: cut off it would say nothing
  readonly help?: string; // what the number means
  readonly hidden?: boolean; // not shown until chosen
  readonly sum?: boolean; // adds up over a group; default: yes for times, bytes and counts
  readonly mono?: boolean;
  readonly like?: string; // has unit and scale of bars of another column: parts of a whole
  readonly signed?: (row: Row) => boolean; // a change, with its sign; true: it matters, and more is worse
  readonly shown?: (row: Row) => string | null | undefined; // a shorter form of a text; the whole is on hover
  readonly spare?: number; // where there is no room the highest are left out first; without it, it stays
  readonly href?: (row: Row) => string | null | undefined; // the cell is a link
  readonly cell?: (row: Row) => ComponentChildren; // drawn instead of the value
}

export interface TableProps<Row> {
  readonly id: string; // prefix of its parameters in the address, and name of downloads
  readonly label: string; // for those who cannot see it
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly sort?: string; // order at first: "-device_self_ns,name"; none: as the rows come
  readonly onOpen?: (row: Row) => void;
  readonly isOpen?: (row: Row) => boolean; // the row whose details are shown
  readonly what?: readonly [one: string, many: string]; // ["operator", "operators"]
  readonly maxRows?: number; // height at most, in rows
  readonly fill?: boolean; // as high as the window allows
  readonly depth?: (row: Row) => number; // rows are a tree, parents first
  readonly openDepth?: number; // levels that are open at first
  readonly toolbar?: boolean; // default: yes
  readonly extra?: ComponentChildren; // in the toolbar
  readonly note?: ComponentChildren; // beside the number of rows
}

// A column with what its values have in common.
export interface Shown<Row> {
  readonly column: Column<Row>;
  readonly format: ColumnFormat | null; // null: text
  readonly largest: number;
}

export const adds = <Row>(column: Column<Row>): boolean =>
  column.sum ?? !["percent", "number", "text"].includes(column.quantity);
