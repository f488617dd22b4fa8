// SPDX-License-Identifier: Apache-2.0
// Numbers for people: units that fit the number, and one unit for a whole column.

export interface Unit {
  readonly name: string;
  readonly factor: number; // value in base units that is 1 of this
}

const TIME: readonly Unit[] = [
  { name: "ns", factor: 1 },
  { name: "µs", factor: 1e3 },
  { name: "ms", factor: 1e6 },
  { name: "s", factor: 1e9 },
];
const BYTES: readonly Unit[] = [
  { name: "B", factor: 1 },
  { name: "KiB", factor: 1024 },
  { name: "MiB", factor: 1024 ** 2 },
  { name: "GiB", factor: 1024 ** 3 },
  { name: "TiB", factor: 1024 ** 4 },
];
const COUNT: readonly Unit[] = [{ name: "", factor: 1 }];

export type Quantity = "time" | "bytes" | "count";

function unitsOf(quantity: Quantity): readonly Unit[] {
  return quantity === "time" ? TIME : quantity === "bytes" ? BYTES : COUNT;
}

// The largest unit in which the value is at least 1.
export function unitFor(quantity: Quantity, value: number): Unit {
  const units = unitsOf(quantity);
  let chosen = units[0] as Unit;
  for (const unit of units) if (Math.abs(value) >= unit.factor) chosen = unit;
  return chosen;
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

// About three significant digits, never an exponent.
export function inUnit(value: number, unit: Unit): string {
  const scaled = value / unit.factor;
  const size = Math.abs(scaled);
  if (unit.factor === 1 && Number.isInteger(scaled)) return grouped.format(scaled);
  if (size >= 1000) return grouped.format(scaled);
  if (size >= 100) return scaled.toFixed(1);
  if (size >= 10) return scaled.toFixed(2);
  return scaled.toFixed(3);
}

export function format(quantity: Quantity, value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const unit = unitFor(quantity, value);
  const text = inUnit(value, unit);
  return unit.name === "" ? text : `${text} ${unit.name}`;
}

export const time = (ns: number | null | undefined): string => format("time", ns);
export const bytes = (value: number | null | undefined): string => format("bytes", value);
export const count = (value: number | null | undefined): string => format("count", value);

export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = share * 100;
  const size = Math.abs(value);
  return `${size >= 99.95 || size === 0 ? value.toFixed(0) : size < 0.1 ? value.toFixed(2) : value.toFixed(1)} %`;
}
