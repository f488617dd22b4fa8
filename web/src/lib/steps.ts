// SPDX-License-Identifier: Apache-2.0
// Steps: a typical one to look at, and many of them put together so that a chart can show them.
import type { StepRow } from "../api/report";

// The complete step of median duration: what happens in it happens in most.
export function typicalStep(rows: readonly StepRow[]): StepRow | null {
  const complete = rows.filter((row) => row.complete);
  const candidates = (complete.length > 0 ? complete : rows.slice()).sort(
    (a, b) => a.duration_ns - b.duration_ns,
  );
  return candidates[Math.floor((candidates.length - 1) / 2)] ?? null;
}

export interface StepBar {
  readonly first: StepRow;
  readonly last: StepRow;
  readonly shown: StepRow; // the longest of those put together
  readonly count: number;
}

// At most `room` bars; a bar of several steps shows the longest of them.
export function stepBars(rows: readonly StepRow[], room: number): readonly StepBar[] {
  const each = Math.max(1, Math.ceil(rows.length / Math.max(1, room)));
  const bars: StepBar[] = [];
  for (let i = 0; i < rows.length; i += each) {
    const part = rows.slice(i, i + each);
    const first = part[0] as StepRow;
    const shown = part.reduce((a, b) => (b.duration_ns > a.duration_ns ? b : a), first);
    bars.push({ first, last: part.at(-1) ?? first, shown, count: part.length });
  }
  return bars;
}
