// SPDX-License-Identifier: Apache-2.0
// What the columns of a query's answer are, by their names and values.
import type { CellValue } from "./csv";
import type { ColumnQuantity } from "./units";

export function guessQuantity(name: string, values: readonly CellValue[]): ColumnQuantity | "text" {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (known.length === 0 || known.some((value) => typeof value !== "number")) return "text";
  // A time since 1970 is a moment, not a duration.
  const large = known.some((value) => Math.abs(value as number) > 1e17);
  if (/_ns\b|_ns$/.test(name) && !large) return "time";
  if (/bytes/.test(name)) return "bytes";
  if (/_share$/.test(name)) return "percent";
  return known.every((value) => Number.isInteger(value)) ? "count" : "number";
}
