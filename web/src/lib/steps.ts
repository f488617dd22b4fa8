// SPDX-License-Identifier: Apache-2.0
// Steps: a typical one to look at, and many of them put together so that a chart can show them.
import { STEP_CATEGORIES, type StepCategory, type StepRow } from "../api/report";

// The complete step of median duration: what happens in it happens in most.
export function typicalStep(rows: readonly StepRow[]): StepRow | null {
  const complete = rows.filter((row) => row.complete);
  const candidates = (complete.length > 0 ? complete : rows.slice()).sort(
    (a, b) => a.duration_ns - b.duration_ns,
  );
  return candidates[Math.floor((candidates.length - 1) / 2)] ?? null;
}

// The step in which a part of time is largest.
export function stepWithMost(rows: readonly StepRow[], category: StepCategory): StepRow | null {
  let most: StepRow | null = null;
  for (const row of rows)
    if (most === null || row.categories[category] > most.categories[category]) most = row;
  return most;
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

export function mean(rows: readonly StepRow[]): { duration: number; times: Record<StepCategory, number> } {
  const times = Object.fromEntries(STEP_CATEGORIES.map((c) => [c, 0])) as Record<StepCategory, number>;
  let duration = 0;
  for (const row of rows) {
    duration += row.duration_ns / rows.length;
    for (const c of STEP_CATEGORIES) times[c] += row.categories[c] / rows.length;
  }
  return { duration, times };
}
