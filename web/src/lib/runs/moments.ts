// SPDX-License-Identifier: Apache-2.0
// Moments of a run in addresses and on the clock of the viewer. In an address a moment is milliseconds since 1970, or
// a time as logs write it.

const two = (n: number, width = 2): string => String(n).padStart(width, "0");

// "20:45:01.123"
export function clock(ms: number, digits = 3): string {
  const date = new Date(ms);
  const text = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return digits === 0 ? text : `${text}.${two(date.getMilliseconds(), 3)}`;
}
export const utc = (ms: number): string => `${new Date(ms).toISOString().replace("T", " ").slice(0, 23)} UTC`;

export const msOf = (ns: string | number): number => Number(ns) / 1e6;
// Nanoseconds as digits: too many for a number.
export const nsOf = (ms: number): string => `${BigInt(Math.round(ms * 1000)) * 1000n}`;

export function momentOf(param: string | undefined): number | null {
  if (param === undefined || param === "") return null;
  if (/^-?\d+(\.\d+)?$/.test(param)) return Number(param);
  const at = Date.parse(param);
  return Number.isNaN(at) ? null : at;
}
export const momentText = (ms: number): string => String(Math.round(ms));

// What somebody typed: "20:45", "20:45:01.5", a whole date; of a clock alone the day on which it lies in the log.
export function typedMoment(text: string, from: number | null, to: number | null): number | null {
  const trimmed = text.trim();
  const found = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3}))?)?$/.exec(trimmed);
  if (found === null) {
    if (!/^\d{4}-\d{2}-\d{2}/.test(trimmed)) return null;
    const at = Date.parse(trimmed.replace(" ", "T").replace(/\s*UTC$/, "Z"));
    return Number.isNaN(at) ? null : at;
  }
  const [hours, minutes, seconds] = [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
  if (hours > 23 || minutes > 59 || seconds > 59 || from === null) return null;
  const day = new Date(from);
  const ms = Number((found[4] ?? "0").padEnd(3, "0"));
  const at = new Date(
    day.getFullYear(),
    day.getMonth(),
    day.getDate(),
    hours,
    minutes,
    seconds,
    ms,
  ).getTime();
  const next = at + 86_400_000;
  return at < from && to !== null && next <= to ? next : at;
}
