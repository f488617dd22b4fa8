// SPDX-License-Identifier: Apache-2.0
// Numbers for people: units that fit the number, and one unit and one number of decimals for a whole column.

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
const FLOPS: readonly Unit[] = [
  { name: "FLOP", factor: 1 },
  { name: "kFLOP", factor: 1e3 },
  { name: "MFLOP", factor: 1e6 },
  { name: "GFLOP", factor: 1e9 },
  { name: "TFLOP", factor: 1e12 },
];
const COUNT: readonly Unit[] = [{ name: "", factor: 1 }];

export type Quantity = "time" | "bytes" | "flops" | "count";

function unitsOf(quantity: Quantity): readonly Unit[] {
  return quantity === "time" ? TIME : quantity === "bytes" ? BYTES : quantity === "flops" ? FLOPS : COUNT;
}

// The largest unit in which the value is at least 1.
export function unitFor(quantity: Quantity, value: number): Unit {
  const units = unitsOf(quantity);
  let chosen = units[0] as Unit;
  for (const unit of units) if (Math.abs(value) >= unit.factor) chosen = unit;
  return chosen;
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const groupedTo = [0, 1, 2, 3].map(
  (digits) =>
    new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

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
  if (size > 0 && size < 0.005) return `${value < 0 ? ">-" : "<"}0.01 %`;
  return `${size >= 99.95 || size === 0 ? value.toFixed(0) : size < 0.1 ? value.toFixed(2) : value.toFixed(1)} %`;
}

// What a column of numbers is made of. `number`: a plain figure with decimals (a rate, an average).
export type ColumnQuantity = Quantity | "percent" | "number";

export interface ColumnFormat {
  readonly unit: string; // for the column's title; "" where there is none
  readonly text: (value: number | null | undefined) => string;
}

function fixed(scaled: number, decimals: number): string {
  const least = 10 ** -decimals;
  // What would read as nothing is something.
  if (scaled !== 0 && Math.abs(scaled) < least / 2) return scaled < 0 ? `>-${least}` : `<${least}`;
  return (groupedTo[decimals] as Intl.NumberFormat).format(scaled);
}

// One unit and one number of decimals for all values of a column, by its largest.
export function columnFormat(quantity: ColumnQuantity, largest: number): ColumnFormat {
  const missing = (value: number | null | undefined): value is null | undefined =>
    value === null || value === undefined || Number.isNaN(value);
  if (quantity === "percent") {
    return { unit: "%", text: (value) => (missing(value) ? "–" : fixed(value * 100, 1)) };
  }
  if (quantity === "number") {
    const decimals = largest >= 1000 ? 0 : largest >= 100 ? 1 : 2;
    return { unit: "", text: (value) => (missing(value) ? "–" : fixed(value, decimals)) };
  }
  const unit = unitFor(quantity, largest);
  const scaled = Math.abs(largest) / unit.factor;
  const decimals = unit.factor === 1 ? 0 : scaled >= 10000 ? 0 : scaled >= 1000 ? 1 : scaled >= 10 ? 2 : 3;
  return { unit: unit.name, text: (value) => (missing(value) ? "–" : fixed(value / unit.factor, decimals)) };
}

// The value as it is, for whoever wants to know it exactly.
export function exact(quantity: ColumnQuantity, value: number): string {
  if (quantity === "percent") return `${value * 100} %`;
  if (quantity === "number") return String(value);
  const text = Number.isInteger(value) ? grouped.format(value) : String(value);
  return quantity === "time"
    ? `${text} ns`
    : quantity === "bytes"
      ? `${text} B`
      : quantity === "flops"
        ? `${text} FLOP`
        : text;
}
