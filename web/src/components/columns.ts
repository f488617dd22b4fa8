// SPDX-License-Identifier: Apache-2.0
// Columns that many tables have: a field of the row as it is, and the name of an operator.
import type { CellValue } from "../lib/csv";
import { pageAddress } from "../state/route";
import type { Column } from "./table_types";

export function field<Row>(
  key: keyof Row & string,
  title: string,
  quantity: Column<Row>["quantity"],
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { key, title, quantity, value: (row) => row[key] as CellValue, ...more };
}

// Leads to the operator's page.
export function operatorName<Row extends { readonly name: string }>(): Column<Row> {
  return field<Row>("name", "Operator", "text", {
    href: (row) => pageAddress("operators", { open: row.name }),
  });
}
