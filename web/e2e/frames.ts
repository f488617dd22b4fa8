// SPDX-License-Identifier: Apache-2.0
// What a frame costs while the timeline is panned by hand, in a browser without a GPU. Prints the median ms of
// scripting per frame: the processor time of the frame's callback as the browser traces it, which other work on the
// machine does not change, and the wall time by the page's own clock. Fails if the former is above the budget.
import type { Page } from "playwright-core";
import { addressAndProfile, openBrowser, openTimeline, settled } from "./browser";

const BUDGET_MS = Number(process.env.BUDGET_MS ?? 8);
const MOVES = Number(process.env.MOVES ?? 120);
// Width × height @ device pixels per pixel.
const SIZES = (process.env.SIZES ?? "1440x900@1 2560x1440@1 1440x900@2")
  .split(" ")
  .map((size) => size.split(/[x@]/).map(Number) as [number, number, number]);

interface Cost {
  readonly drawn: number;
  readonly median_ms: number;
  readonly boxes: number;
}

async function cost(page: Page): Promise<Cost> {
  const text = await page.getAttribute(".tl-canvas canvas", "data-frames");
  return JSON.parse(text ?? "{}") as Cost;
}

// A hand that drags to and fro.
async function pan(page: Page, moves: number): Promise<void> {
  const box = await page.locator(".tl-canvas").boundingBox();
  if (!box) throw new Error("the timeline has no size");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  for (let i = 0; i < moves; i++) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.4 * Math.sin(i / 12)), y);
  }
  await page.mouse.up();
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly dur?: number;
  readonly tdur?: number; // µs of the thread's processor time
}

// Median of the frames' callbacks in a trace, ms.
function median(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const costs = traceEvents
    .filter((event) => event.name === "FireAnimationFrame" && event.ph === "X")
    .map((event) => (event.tdur ?? event.dur ?? 0) / 1000)
    .sort((a, b) => a - b);
  return costs[costs.length >> 1] ?? 0;
}

const { address, profile } = addressAndProfile();
let failed = false;
for (const [width, height, scale] of SIZES) {
  const { browser, page } = await openBrowser(width, height, scale);
  await openTimeline(page, address, `profile=${profile}&collapsed=-`);
  await page.evaluate(() => document.querySelector(".page")?.setAttribute("data-probe", "frames"));
  let wheels = 0;
  for (const zooms of [0, 6, 14]) {
    for (; wheels < zooms; wheels++) {
      await page.locator(".tl-canvas").hover();
      await page.mouse.wheel(0, -300);
    }
    await settled(page);
    const before = await cost(page);
    await browser.startTracing(page, { categories: ["devtools.timeline"] });
    await pan(page, MOVES);
    const processor = median(await browser.stopTracing());
    const after = await cost(page);
    const frames = after.drawn - (before.drawn ?? 0);
    const zoomed = `${Math.round(Math.exp(0.48 * zooms))} ×`;
    console.log(
      `${width}×${height}@${scale} zoomed ${zoomed.padStart(5)}: ${processor.toFixed(2)} ms of processor time, ` +
        `${after.median_ms.toFixed(2)} ms on the clock (medians), ${after.boxes} boxes, ${frames} frames`,
    );
    if (processor > BUDGET_MS) failed = true;
  }
  await browser.close();
}
if (failed) {
  console.error(`above the budget of ${BUDGET_MS} ms`);
  process.exit(1);
}
