// SPDX-License-Identifier: Apache-2.0
// For tables that the server does not describe: a field of the row as it is, kernels by shorter names.
import type { CellValue } from "../lib/csv";
import { kernelNames } from "../lib/kernel_names";
import type { Column } from "./table_types";

export function field<Row>(
  key: keyof Row & string,
  title: string,
  quantity: Column<Row>["quantity"],
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { key, title, quantity, value: (row) => row[key] as CellValue, ...more };
}

// The name of a kernel as it is shown in a column: without what all of them have.
export function kernelShown<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string | null | undefined,
): (row: Row) => string | null | undefined {
  const shown = kernelNames(rows.map(nameOf).filter((name) => typeof name === "string"));
  return (row) => {
    const name = nameOf(row);
    return typeof name === "string" ? shown(name) : name;
  };
}
