// SPDX-License-Identifier: Apache-2.0
// What is known of a table before there are rows. api/generated.ts has one for every table of the server.

export interface ColumnDescription {
  readonly key: string; // the field's name in the report
  readonly group?: string; // the object in the row that holds it
  readonly title: string;
  readonly quantity:
    | "text"
    | "name"
    | "prose"
    | "id"
    | "file"
    | "flag"
    | "json"
    | "count"
    | "number"
    | "duration"
    | "moment"
    | "bytes"
    | "share"
    | "rate"
    | "flops";
  readonly derived?: boolean; // rows do not hold it: the page computes it, or does without
  readonly hidden?: boolean; // not shown until chosen
  readonly spare?: number; // where there is no room the highest are left out first; without it, it stays
  readonly presence?: "value" | "known" | "nonzero" | "files"; // else it is hidden
  readonly bar?: boolean;
  readonly like?: string; // has the unit of another column
  readonly sum?: boolean;
  readonly names?: "operator" | "kernel" | "event";
  readonly help?: string;
}

// Of rows that have at least what `Row` has.
export type TableDescription<Row> = readonly ColumnDescription[] & { readonly of?: (row: Row) => void };

// A view that has no page of its own: its name, and the table that is shown.
export interface DefaultPage {
  readonly name: string;
  readonly title: string;
  readonly table: readonly ColumnDescription[];
}
