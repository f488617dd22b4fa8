// SPDX-License-Identifier: Apache-2.0
// Steps: a typical one to look at, and many of them put together so that a chart can show them.

interface Timed {
  readonly duration_ns: number;
}

// The complete step of median duration: what happens in it happens in most.
export function typicalStep<Row extends Timed & { readonly complete: boolean }>(
  rows: readonly Row[],
): Row | null {
  const complete = rows.filter((row) => row.complete);
  const candidates = (complete.length > 0 ? complete : rows.slice()).sort(
    (a, b) => a.duration_ns - b.duration_ns,
  );
  return candidates[Math.floor((candidates.length - 1) / 2)] ?? null;
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
