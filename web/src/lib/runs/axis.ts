// SPDX-License-Identifier: Apache-2.0
// An axis of a chart: plain numbers, so that a painter computes a pixel without a call. pixel = k · v + b, with the
// logarithm of v where it is logarithmic.
import { niceStep } from "../scale";
import { duration } from "./numbers";

export interface Axis {
  readonly log: boolean;
  readonly min: number;
  readonly max: number;
  readonly k: number;
  readonly b: number;
}

const LEAST_DECADES = 0.05;

// A logarithmic axis takes what is positive: `least` is the smallest such value, for a range that begins below.
export function axisOf(
  range: readonly [number, number],
  pixels: readonly [number, number],
  log: boolean,
  least = 1e-3,
): Axis {
  let [min, max] = range;
  if (log) {
    if (!(max > 0)) [min, max] = [0.1, 1];
    else if (!(min > 0)) min = Math.min(least > 0 ? least : max / 1000, max);
    let [lo, hi] = [Math.log10(min), Math.log10(max)];
    if (hi - lo < LEAST_DECADES) {
      const middle = (lo + hi) / 2;
      [lo, hi] = [middle - LEAST_DECADES / 2, middle + LEAST_DECADES / 2];
    }
    const k = (pixels[1] - pixels[0]) / (hi - lo);
    return { log, min: 10 ** lo, max: 10 ** hi, k, b: pixels[0] - k * lo };
  }
  if (!(max > min)) {
    const room = Math.abs(min) * 0.05 || 0.5;
    [min, max] = [min - room, min + room];
  }
  const k = (pixels[1] - pixels[0]) / (max - min);
  return { log, min, max, k, b: pixels[0] - k * min };
}

export const pixelAt = ({ log, k, b }: Axis, value: number): number =>
  k * (log ? Math.log10(value) : value) + b;
export function valueAt({ log, k, b }: Axis, pixel: number): number {
  const value = (pixel - b) / k;
  return log ? 10 ** value : value;
}

export interface AxisTick {
  readonly value: number;
  readonly text: string; // "": a line without a number
}

function decimalText(value: number, step: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || step < 1e-5) {
    const digits = Math.max(0, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step) + 1e-9));
    const text = value.toExponential(Math.min(6, digits));
    return text
      .replace(/(\.\d*?)0+e/, "$1e")
      .replace(".e", "e")
      .replace("e+", "e");
  }
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function logTicks({ min, max }: Axis, count: number): readonly AxisTick[] {
  const [lo, hi] = [Math.log10(min), Math.log10(max)];
  const first = Math.ceil(lo - 1e-9);
  const decades = Math.floor(hi + 1e-9) - first + 1;
  const text = (v: number): string =>
    v >= 1e-3 && v < 1e4 ? String(Number(v.toPrecision(3))) : v.toExponential(0).replace("e+", "e");
  if (decades < 2) {
    // Too little of it for powers of ten: round numbers, as on a straight axis.
    const step = niceStep(max - min, count);
    const ticks: AxisTick[] = [];
    for (let i = Math.ceil(min / step - 1e-9); i * step <= max * (1 + 1e-9) && ticks.length < 40; ++i)
      if (i > 0) ticks.push({ value: i * step, text: decimalText(i * step, step) });
    return ticks;
  }
  const every = Math.max(1, Math.ceil(decades / count));
  const ticks: AxisTick[] = [];
  for (let e = first; e < first + decades; ++e) {
    const value = 10 ** e;
    ticks.push({ value, text: (e - first) % every === 0 ? text(value) : "" });
  }
  return ticks;
}

function linearTicks({ min, max }: Axis, step: number, text: (value: number) => string): readonly AxisTick[] {
  const ticks: AxisTick[] = [];
  for (let i = Math.ceil(min / step - 1e-9); i * step <= max + step * 1e-9 && ticks.length < 60; ++i) {
    const value = Number((i * step).toPrecision(12));
    ticks.push({ value, text: text(value) });
  }
  return ticks;
}

export function numberTicks(axis: Axis, count: number): readonly AxisTick[] {
  if (axis.log) return logTicks(axis, count);
  const step = niceStep(axis.max - axis.min, count);
  return linearTicks(axis, step, (value) => decimalText(value, step));
}

const TIME_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
];
const timeStep = (span: number, count: number): number =>
  span / count < 1
    ? niceStep(span, count)
    : (TIME_STEPS.find((step) => step >= span / count) ?? niceStep(span / 604800, count) * 604800);

// Seconds since a run began.
export function durationTicks(axis: Axis, count: number): readonly AxisTick[] {
  if (axis.log) return logTicks(axis, count).map((t) => ({ ...t, text: t.text && duration(t.value) }));
  return linearTicks(axis, timeStep(axis.max - axis.min, count), (v) => (v === 0 ? "0" : duration(v)));
}

// Seconds since 1970, on the clock of the viewer.
export function clockTicks(axis: Axis, count: number): readonly AxisTick[] {
  const span = axis.max - axis.min;
  const step = timeStep(span, count);
  const zone = new Date(axis.min * 1000).getTimezoneOffset() * 60;
  const shifted = { ...axis, min: axis.min - zone, max: axis.max - zone, log: false };
  const two = (n: number): string => String(n).padStart(2, "0");
  return linearTicks(shifted, step, () => "").map(({ value }) => {
    const date = new Date((value + zone) * 1000);
    const day = `${date.getMonth() + 1}/${date.getDate()}`;
    const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
    const text =
      step >= 86400
        ? day
        : step >= 60
          ? span > 86400
            ? `${day} ${clock}`
            : clock
          : `${clock}:${two(date.getSeconds())}`;
    return { value: value + zone, text };
  });
}
