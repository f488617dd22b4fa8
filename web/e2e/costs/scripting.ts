// SPDX-License-Identifier: Apache-2.0
// What a frame costs in scripting while something moves, from the browser's own trace: the processor time of everything
// that runs JavaScript on the page's thread. Other work on the machine does not change it.
import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number; // µs
  readonly dur?: number;
  readonly tdur?: number; // µs of the thread's processor time
}

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline.frame"]; // the latter: frames

// What the browser's own tools count as scripting.
const SCRIPTING = new Set([
  "EvaluateScript",
  "EventDispatch",
  "FireAnimationFrame",
  "FireIdleCallback",
  "FunctionCall",
  "RunMicrotasks",
  "TimerFire",
  "V8.GC_SCAVENGER",
  "MajorGC",
  "MinorGC",
]);

const threadOf = (event: TraceEvent): string => `${event.pid}:${event.tid}`;

// The one that began most frames.
function mainThread(events: readonly TraceEvent[]): string | undefined {
  const counts = new Map<string, number>();
  for (const event of events)
    if (event.name === "BeginMainThreadFrame")
      counts.set(threadOf(event), (counts.get(threadOf(event)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

// ms of each frame in which script ran: events that lie in others count with those.
export function scriptingPerFrame(events: readonly TraceEvent[]): number[] {
  const thread = mainThread(events);
  const own = events.filter((event) => threadOf(event) === thread).sort((a, b) => a.ts - b.ts);
  const frames: number[] = [];
  let sum = 0;
  let end = 0;
  for (const event of own) {
    if (event.name === "BeginMainThreadFrame") {
      if (sum > 0) frames.push(sum / 1000);
      sum = 0;
    } else if (event.ph === "X" && SCRIPTING.has(event.name) && event.ts >= end) {
      sum += event.tdur ?? event.dur ?? 0;
      end = event.ts + (event.dur ?? 0);
    }
  }
  if (sum > 0) frames.push(sum / 1000);
  return frames;
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export interface Scripting {
  readonly frames: number;
  readonly median_ms: number;
}

// ms of processor time of the longest task on the page's thread: how long nothing else could be drawn.
export async function longestTask(
  browser: Browser,
  page: Page,
  motion: () => Promise<void>,
): Promise<number> {
  await browser.startTracing(page, { categories: [...CATEGORIES, "disabled-by-default-devtools.timeline"] });
  await motion();
  const text = (await browser.stopTracing()).toString();
  const { traceEvents } = JSON.parse(text) as { traceEvents: readonly TraceEvent[] };
  const thread = mainThread(traceEvents);
  const tasks = traceEvents.filter((event) => event.name === "RunTask" && threadOf(event) === thread);
  return tasks.reduce((longest, { tdur, dur }) => Math.max(longest, tdur ?? dur ?? 0), 0) / 1000;
}

export async function scriptingDuring(
  browser: Browser,
  page: Page,
  motion: () => Promise<void>,
): Promise<Scripting> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await motion();
  const text = (await browser.stopTracing()).toString();
  const { traceEvents } = JSON.parse(text) as { traceEvents: readonly TraceEvent[] };
  const costs = scriptingPerFrame(traceEvents);
  return { frames: costs.length, median_ms: median(costs) };
}
