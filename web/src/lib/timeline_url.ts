// SPDX-License-Identifier: Apache-2.0
// The timeline's part of the address: what is in view, what is chosen, what is open. Reading is forgiving (an
// address may be typed or old); writing is short.

export interface EventRef {
  readonly file: number;
  readonly row: number;
}
export interface RangeRef {
  readonly start: number;
  readonly end: number;
}

type Params = Readonly<Record<string, string>>;

function number(text: string | undefined): number | null {
  if (text === undefined || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

export function readView(params: Params): RangeRef | null {
  const start = number(params.start);
  const end = number(params.end);
  return start !== null && end !== null && end > start ? { start, end } : null;
}
export const writeView = (start: number, end: number): { start: string; end: string } => ({
  start: String(Math.floor(start)),
  end: String(Math.ceil(end)),
});

export function readEvent(params: Params): EventRef | null {
  const [file, row] = (params.event ?? "").split(":").map(number);
  return file !== null && file !== undefined && row !== null && row !== undefined ? { file, row } : null;
}
export const writeEvent = (event: EventRef): string => `${event.file}:${event.row}`;

// "start,end": a minus sign is part of a number.
export function readRange(params: Params): RangeRef | null {
  const [start, end] = (params.sel ?? "").split(",").map(number);
  if (start === null || start === undefined || end === null || end === undefined || start === end)
    return null;
  return { start: Math.min(start, end), end: Math.max(start, end) };
}
export const writeRange = (range: RangeRef): string => `${Math.round(range.start)},${Math.round(range.end)}`;

export function readIds(text: string | undefined): ReadonlySet<number> {
  return new Set(
    (text ?? "")
      .split(",")
      .map(number)
      .filter((id) => id !== null),
  );
}
export const writeIds = (ids: Iterable<number>): string => [...ids].sort((a, b) => a - b).join(",");

// Absent: what is closed at first; "-": nothing.
export function readCollapsed(params: Params, initial: ReadonlySet<string>): ReadonlySet<string> {
  if (params.collapsed === undefined) return initial;
  return new Set(params.collapsed.split(",").filter((key) => /^[gt]\d+$/.test(key)));
}
export function writeCollapsed(keys: ReadonlySet<string>, initial: ReadonlySet<string>): string | null {
  if (keys.size === initial.size && [...keys].every((key) => initial.has(key))) return null;
  return keys.size === 0 ? "-" : [...keys].sort().join(",");
}
