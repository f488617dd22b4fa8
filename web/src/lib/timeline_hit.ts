// SPDX-License-Identifier: Apache-2.0
// Which span is under the pointer, and which one is next to it for those who go from span to span by keyboard.
import { firstEndingAfter, ROW_FIELDS, type SpanTable } from "./spans";
import type { SpanSlice } from "./timeline_slices";

// Spans are drawn at least a pixel wide, so the pointer may be a little beside one: `slack` ns on either side.
export function spanAt(slice: SpanSlice, track: number, depth: number, time: number, slack: number): number {
  const row = slice.rows.get(track)?.[depth] ?? -1;
  if (row < 0) return -1;
  const { table } = slice;
  const first = table.rows[row * ROW_FIELDS + 2] as number;
  const number = table.rows[row * ROW_FIELDS + 3] as number;
  const end = first + number;
  const index = firstEndingAfter(table, first, number, time);
  if (index < end && (table.start[index] as number) <= time) return index;
  const after = index < end ? (table.start[index] as number) - time : Number.POSITIVE_INFINITY;
  const before = index > first ? time - endOf(table, index - 1) : Number.POSITIVE_INFINITY;
  if (Math.min(after, before) > slack) return -1;
  return after <= before ? index : index - 1;
}

// The neighbour in the same row; -1 at either end of what is held.
export function neighbour(slice: SpanSlice, track: number, depth: number, index: number, by: number): number {
  const row = slice.rows.get(track)?.[depth] ?? -1;
  if (row < 0) return -1;
  const first = slice.table.rows[row * ROW_FIELDS + 2] as number;
  const end = first + (slice.table.rows[row * ROW_FIELDS + 3] as number);
  const next = index + by;
  return next >= first && next < end ? next : -1;
}

// The span of another depth that overlaps [start, end) most at its beginning.
export function overlapping(
  slice: SpanSlice,
  track: number,
  depth: number,
  start: number,
  end: number,
): number {
  const row = slice.rows.get(track)?.[depth] ?? -1;
  if (row < 0) return -1;
  const first = slice.table.rows[row * ROW_FIELDS + 2] as number;
  const number = slice.table.rows[row * ROW_FIELDS + 3] as number;
  const index = firstEndingAfter(slice.table, first, number, start);
  return index < first + number && (slice.table.start[index] as number) < end ? index : -1;
}

const endOf = (table: SpanTable, index: number): number =>
  (table.start[index] as number) + (table.duration[index] as number);
