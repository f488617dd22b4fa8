// SPDX-License-Identifier: Apache-2.0
// Axes: where a value stands, and which values get a line.
import { type ColumnQuantity, unitFor } from "./units";

export interface Scale {
  readonly domain: readonly [number, number];
  readonly at: (value: number) => number; // to pixels
  readonly value: (pixel: number) => number;
  readonly ticks: readonly number[];
}

// Steps of 1, 2 or 5 times a power of ten.
export function niceStep(span: number, count: number): number {
  if (!(span > 0)) return 1;
  const raw = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

export function linearScale(
  domain: readonly [number, number],
  range: readonly [number, number],
  count = 6,
): Scale {
  const [d0, d1] = domain[0] === domain[1] ? [domain[0], domain[0] + 1] : domain;
  const [r0, r1] = range;
  const step = niceStep(Math.abs(d1 - d0), count);
  const ticks: number[] = [];
  for (let i = Math.ceil(Math.min(d0, d1) / step - 1e-9); i * step <= Math.max(d0, d1) + step * 1e-9; i++)
    ticks.push(Number((i * step).toPrecision(12)));
  return {
    domain: [d0, d1],
    at: (v) => r0 + ((v - d0) / (d1 - d0)) * (r1 - r0),
    value: (p) => d0 + ((p - r0) / (r1 - r0)) * (d1 - d0),
    ticks,
  };
}

// Powers of ten as ticks; the domain must be positive and is widened to at least `decades`.
export function logScale(
  domain: readonly [number, number],
  range: readonly [number, number],
  decades = 1,
): Scale {
  let lo = Math.log10(Math.max(domain[0], Number.MIN_VALUE));
  let hi = Math.log10(Math.max(domain[1], Number.MIN_VALUE));
  if (hi - lo < decades) {
    const middle = (hi + lo) / 2;
    lo = middle - decades / 2;
    hi = middle + decades / 2;
  }
  const [r0, r1] = range;
  const ticks: number[] = [];
  for (let e = Math.ceil(lo - 1e-9); e <= hi + 1e-9; e++) ticks.push(10 ** e);
  return {
    domain: [10 ** lo, 10 ** hi],
    at: (v) => r0 + ((Math.log10(v) - lo) / (hi - lo)) * (r1 - r0),
    value: (p) => 10 ** (lo + ((p - r0) / (r1 - r0)) * (hi - lo)),
    ticks,
  };
}

export interface Tick {
  readonly value: number;
  readonly text: string;
}

// Of an axis that begins at 0: round numbers of the unit that fits, "0", "50 ms", "100 ms".
export function axisTicks(quantity: ColumnQuantity, most: number, count: number): readonly Tick[] {
  const unit =
    quantity === "percent"
      ? { name: "%", factor: 0.01 }
      : quantity === "number"
        ? { name: "", factor: 1 }
        : unitFor(quantity, most);
  const whole = quantity === "count" ? 1 : 0;
  const step = Math.max(whole, niceStep(most / unit.factor, count));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks: Tick[] = [];
  for (let i = 0; i * step * unit.factor <= most * (1 + 1e-9); ++i) {
    const text = (i * step).toLocaleString("en-US", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    ticks.push({ value: i * step * unit.factor, text: i === 0 ? "0" : `${text} ${unit.name}`.trim() });
  }
  return ticks;
}

const PREFIXES = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;
// "125 T", "0.25": three digits and a decimal prefix, for rates.
export function si(value: number | null | undefined, unit = ""): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const digits = (v: number): string => {
    const size = Math.abs(v);
    if (size >= 100 || size === 0) return v.toFixed(0);
    if (size >= 10) return String(Number(v.toFixed(1)));
    return size >= 0.01 ? String(Number(v.toPrecision(3))) : v.toExponential(1);
  };
  for (const [factor, prefix] of PREFIXES)
    if (Math.abs(value) >= factor) return `${digits(value / factor)} ${prefix}${unit}`;
  return unit === "" ? digits(value) : `${digits(value)} ${unit}`;
}
