// SPDX-License-Identifier: Apache-2.0
// Many steps put together so that a chart can show them.

interface Timed {
  readonly duration_ns: number;
}

// Which of several ranks a file is of: "rank 3", else its worker, else its number.
export function rankLabel(
  files: readonly { readonly rank: number | null; readonly worker: string | null }[],
  file: number,
): string {
  const of = files[file];
  return of?.rank === null || of?.rank === undefined ? (of?.worker ?? String(file)) : `rank ${of.rank}`;
}

export interface StepBar<Row extends Timed> {
  readonly first: Row;
  readonly last: Row;
  readonly shown: Row; // the longest of those put together
  readonly count: number;
}

// At most `room` bars; a bar of several steps shows the longest of them.
export function stepBars<Row extends Timed>(rows: readonly Row[], room: number): readonly StepBar<Row>[] {
  const each = Math.max(1, Math.ceil(rows.length / Math.max(1, room)));
  const bars: StepBar<Row>[] = [];
  for (let i = 0; i < rows.length; i += each) {
    const part = rows.slice(i, i + each);
    const first = part[0] as Row;
    const shown = part.reduce((a, b) => (b.duration_ns > a.duration_ns ? b : a), first);
    bars.push({ first, last: part.at(-1) ?? first, shown, count: part.length });
  }
  return bars;
}
