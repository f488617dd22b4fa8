// SPDX-License-Identifier: Apache-2.0
// Values that were logged, as text: they may be of any size and have no unit.

// JSON has no NaN: the server writes them as words.
export type Logged = number | "NaN" | "Infinity" | "-Infinity" | null;

export const numberOf = (value: Logged | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

// Four digits that matter: "0.1235", "12.35", "1235", "1.235e-7", "NaN".
export function shortNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e7 || size < 1e-4)
    return value
      .toExponential(3)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  if (size >= 1e4) return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
  return String(Number(value.toPrecision(4)));
}

// "1 d 3 h", "2 h 5 min", "3 min 20 s", "4.2 s", "320 ms".
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  const sign = seconds < 0 ? "-" : "";
  const s = Math.abs(seconds);
  const two = (a: number, ua: string, b: number, ub: string): string =>
    `${sign}${a} ${ua}${b > 0 ? ` ${b} ${ub}` : ""}`;
  const whole = Math.round(s);
  if (whole >= 86400) return two(Math.floor(whole / 86400), "d", Math.floor((whole % 86400) / 3600), "h");
  if (whole >= 3600) return two(Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min");
  if (whole >= 60) return two(Math.floor(whole / 60), "min", whole % 60, "s");
  if (s >= 1) return `${sign}${Number(s.toPrecision(3))} s`;
  return s === 0 ? "0 s" : `${sign}${Number((s * 1000).toPrecision(3))} ms`;
}
