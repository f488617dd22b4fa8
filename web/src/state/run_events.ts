// SPDX-License-Identifier: Apache-2.0
// How many runs there are, and what the stream says of them. What every page needs to know, and no more: lists and
// points are asked for by the pages of runs.
import { signal } from "@preact/signals";
import { getJson } from "../api/client";
import type { RunsEvent } from "../api/runs";

export const runCount = signal<number | null>(null); // null: not known yet
export const runNames = signal<ReadonlyMap<string, string>>(new Map()); // of runs that a page was opened about
// Kinds of what the runs shown have logged; null: not known yet.
export const runPlugins = signal<readonly string[] | null>(null);
export const runsRevision = signal(0); // whenever something changed, but not at every point
export const runsEvent = signal<RunsEvent | null>(null); // the last one

const CALM_MS = 1500; // between two looks at lists
let waiting: ReturnType<typeof setTimeout> | undefined;
let looked = 0;

// Lists are asked for again: now, or in a moment if that was just done.
export function lookAgain(): void {
  if (waiting !== undefined) return;
  waiting = setTimeout(
    () => {
      waiting = undefined;
      looked = Date.now();
      runsRevision.value += 1;
    },
    Math.max(0, looked + CALM_MS - Date.now()),
  );
}

// Logs that somebody looks at, with their sizes: the last event.
export const logsEvent = signal("");

export function takeRuns(text: string): void {
  const event = JSON.parse(text) as RunsEvent;
  runsEvent.value = event;
  if (event.added.length + event.gone.length > 0) countRuns();
  lookAgain();
}

// A server without runs has none.
export async function countRuns(): Promise<void> {
  try {
    runCount.value = (await getJson<{ all: number }>("runs", { limit: 1 })).all;
  } catch {
    runCount.value ??= 0;
  }
}
