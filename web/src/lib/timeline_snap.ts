// SPDX-License-Identifier: Apache-2.0
// The edge of a span that a measured moment is meant to be at.
import { firstEndingAfter, ROW_FIELDS } from "./spans";
import type { SpanSlice } from "./timeline_slices";

export interface Edge {
  readonly time: number;
  readonly depth: number;
}

// The beginning or end of a span of the track that is nearest to the moment, at most `slack` ns away. The row under
// the pointer wins where others are as near.
export function nearestEdge(
  slice: SpanSlice,
  track: number,
  depth: number,
  time: number,
  slack: number,
): Edge | null {
  const rows = slice.rows.get(track) ?? [];
  const { table } = slice;
  let best: Edge | null = null;
  let least = slack;
  const look = (edge: number, at: number): void => {
    const apart = Math.abs(edge - time);
    if (apart > least || (best !== null && apart === least && at !== depth)) return;
    least = apart;
    best = { time: edge, depth: at };
  };
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    if (row < 0) continue;
    const first = table.rows[row * ROW_FIELDS + 2] as number;
    const number = table.rows[row * ROW_FIELDS + 3] as number;
    const index = firstEndingAfter(table, first, number, time);
    for (let i = Math.max(first, index - 1); i <= index && i < first + number; i++) {
      const start = table.start[i] as number;
      look(start, at);
      look(start + (table.duration[i] as number), at);
    }
  }
  return best;
}
