// SPDX-License-Identifier: Apache-2.0
// The lines of a log that belong to a stretch of time, out of an answer that begins a little before it.
interface Row {
  readonly line: number; // from 1
  readonly time_ns: string | null; // null: it goes on with the line before
}
interface Answer<R extends Row> {
  readonly at_line: number | null; // the first one that is not earlier; null: there is none
  readonly rows: readonly R[];
}

// `until` is in milliseconds. Those beyond `most` are counted in `cut`, as far as the answer has them.
export function shownRows<R extends Row>(
  { at_line, rows }: Answer<R>,
  until: number,
  most: number,
): { readonly rows: readonly R[]; readonly cut: number } {
  if (at_line === null) return { rows: [], cut: 0 };
  const inside: R[] = [];
  for (const row of rows) {
    if (row.line < at_line) continue;
    if (row.time_ns !== null && Number(row.time_ns) / 1e6 >= until) break;
    inside.push(row);
  }
  return { rows: inside.slice(0, most), cut: Math.max(0, inside.length - most) };
}
