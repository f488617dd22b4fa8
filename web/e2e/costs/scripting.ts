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

// ms of each frame in which script ran: events that lie in others count with those.
export function scriptingPerFrame(events: readonly TraceEvent[]): number[] {
  const counts = new Map<string, number>();
  const threadOf = (event: TraceEvent): string => `${event.pid}:${event.tid}`;
  for (const event of events)
    if (event.name === "BeginMainThreadFrame")
      counts.set(threadOf(event), (counts.get(threadOf(event)) ?? 0) + 1);
  const thread = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
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
