// SPDX-License-Identifier: Apache-2.0
// Where the time axis has its ticks and what they say. Steps are 1, 2 or 5 times a power of ten ns; all labels of
// one axis have the same unit and as many digits as the step needs.

export interface Ticks {
  step: number; // ns
  minor: number; // parts of a step
  unitFactor: number; // ns
  unit: string;
  digits: number;
}

const LEAST_STEP_NS = 1;

export function chooseTicks(spanNs: number, widthPixels: number, leastPixels: number): Ticks {
  const least = Math.max((spanNs / Math.max(widthPixels, 1)) * leastPixels, LEAST_STEP_NS);
  const power = 10 ** Math.floor(Math.log10(least) + 1e-12);
  const lead = least / power;
  const factor = lead <= 1 + 1e-9 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10;
  const step = factor * power;
  const [unit, unitFactor] = unitOf(spanNs);
  const digits = Math.max(0, Math.ceil(Math.log10(unitFactor / step) - 1e-9));
  return { step, minor: factor === 2 ? 4 : 5, unit, unitFactor, digits };
}

function unitOf(spanNs: number): [string, number] {
  if (spanNs >= 2e9) return ["s", 1e9];
  if (spanNs >= 2e6) return ["ms", 1e6];
  if (spanNs >= 2e3) return ["µs", 1e3];
  return ["ns", 1];
}

export function tickLabel(time: number, ticks: Ticks): string {
  const value = time / ticks.unitFactor;
  const text = Math.abs(value).toFixed(ticks.digits);
  const dot = text.indexOf(".");
  const whole = dot < 0 ? text : text.slice(0, dot);
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const zero = Number(text) === 0;
  return `${value < 0 && !zero ? "−" : ""}${grouped}${dot < 0 ? "" : text.slice(dot)} ${ticks.unit}`;
}

// A moment with every digit that the screen tells apart.
export function exactTime(time: number, nsPerPixel: number): string {
  const size = Math.abs(time);
  const [unit, factor] =
    size >= 1e9
      ? (["s", 1e9] as const)
      : size >= 1e6
        ? (["ms", 1e6] as const)
        : size >= 1e3
          ? (["µs", 1e3] as const)
          : (["ns", 1] as const);
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(factor / Math.max(nsPerPixel, 1)))));
  return tickLabel(time, { step: 1, minor: 1, unit, unitFactor: factor, digits });
}

// "2026-11-15 20:45:01.123456789 UTC" of a moment counted from `originNs`, a number too large for a double.
export function utc(originNs: string, time: number): string {
  const total = BigInt(originNs) + BigInt(Math.round(time));
  const seconds = total / 1_000_000_000n;
  const rest = total % 1_000_000_000n;
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return `${total} ns`;
  const text = date.toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}.${rest.toString().padStart(9, "0")} UTC`;
}
