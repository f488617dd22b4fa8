// SPDX-License-Identifier: Apache-2.0
// Where in time the steps are that the address asks for ("3..5", or "4" alone).
import { ROW_FIELDS } from "./spans";
import type { NameTable } from "./timeline_names";
import type { SpanSlice } from "./timeline_slices";
import type { TimeRange } from "./viewport";

export function stepsRange(
  slice: SpanSlice,
  track: number,
  names: NameTable,
  asked: string,
): TimeRange | null {
  const [low = "", high = low] = asked.split("..");
  const from = Number(low || 0);
  const to = high === "" ? Number.POSITIVE_INFINITY : Number(high);
  const row = slice.rows.get(track)?.[0] ?? -1;
  if (row < 0 || Number.isNaN(from) || Number.isNaN(to)) return null;
  const { table } = slice;
  const first = table.rows[row * ROW_FIELDS + 2] as number;
  const last = first + (table.rows[row * ROW_FIELDS + 3] as number);
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (let i = first; i < last; i++) {
    const number = Number(/(\d+)\D*$/.exec(names.text(table.name[i] as number))?.[1] ?? Number.NaN);
    if (!(number >= from && number <= to)) continue;
    start = Math.min(start, table.start[i] as number);
    end = Math.max(end, (table.start[i] as number) + (table.duration[i] as number));
  }
  return end > start ? { start, end } : null;
}
