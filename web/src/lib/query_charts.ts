// SPDX-License-Identifier: Apache-2.0
// Which columns of a query's answer make a picture: those that are asked for by name, or those that fit best.
import type { CellValue } from "./csv";
import type { ColumnQuantity } from "./units";

export type ChartRow = readonly CellValue[];

export interface ChartColumn {
  readonly key: string;
  readonly title: string;
  readonly quantity: ColumnQuantity | "text";
  readonly value: (row: ChartRow) => CellValue;
}

const named = (columns: readonly ChartColumn[], name: string | undefined): ChartColumn | undefined =>
  columns.find((column) => column.title === name);
const numbersOf = (columns: readonly ChartColumn[]): readonly ChartColumn[] =>
  columns.filter((column) => column.quantity !== "text");

export interface BarColumns {
  readonly label: ChartColumn;
  readonly value: ChartColumn;
  readonly numbers: readonly ChartColumn[];
}

// Times and sizes before counts: they are what queries are about.
export function chooseBars(
  columns: readonly ChartColumn[],
  by: string | undefined,
  y: string | undefined,
): BarColumns | null {
  const label = named(columns, by) ?? columns.find((c) => c.quantity === "text") ?? columns[0];
  const numbers = numbersOf(columns);
  const others = numbers.filter((column) => column !== label);
  const value =
    named(numbers, y) ??
    others.find((c) => c.quantity === "time" || c.quantity === "bytes") ??
    others[0] ??
    numbers[0];
  return label === undefined || value === undefined ? null : { label, value, numbers };
}

export interface LineColumns {
  readonly x: ChartColumn | null; // null: the number of the row
  readonly series: readonly ChartColumn[]; // of one quantity
  readonly quantity: ColumnQuantity;
  readonly numbers: readonly ChartColumn[];
}

const MOST_SERIES = 4;

// Over the first column of numbers, unless another is asked for; all that have the unit of the first curve.
export function chooseLines(
  columns: readonly ChartColumn[],
  x: string | undefined,
  y: string | undefined,
): LineColumns | null {
  const numbers = numbersOf(columns);
  const asked = named(numbers, y);
  const over = numbers.length < 2 ? null : (named(numbers, x) ?? numbers.find((c) => c !== asked) ?? null);
  const heights = numbers.filter((column) => column !== over);
  const first = asked ?? heights[0] ?? numbers[0];
  if (first === undefined || first.quantity === "text") return null;
  const series =
    asked === undefined
      ? heights.filter((c) => c.quantity === first.quantity).slice(0, MOST_SERIES)
      : [asked];
  return { x: over, series: series.length === 0 ? [first] : series, quantity: first.quantity, numbers };
}
