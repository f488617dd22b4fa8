// SPDX-License-Identifier: Apache-2.0
// What a frame costs while the timeline is panned and zoomed by hand, in a browser without a GPU. Prints the
// median ms of scripting per frame, by the page's own clock and by the browser's; fails above the budget.
import type { Page } from "playwright-core";
import { addressAndProfile, openBrowser, openTimeline, settled } from "./browser";

const BUDGET_MS = Number(process.env.BUDGET_MS ?? 8);
const SIZES: readonly (readonly [number, number, number])[] = [
  [1440, 900, 1],
  [2560, 1440, 1],
  [1440, 900, 2],
];

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

async function scriptSeconds(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const read = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "ScriptDuration")?.value ?? 0;
  };
  const before = await read();
  return async () => (await read()) - before;
}

const { address, profile } = addressAndProfile();
let failed = false;
for (const [width, height, scale] of SIZES) {
  const { browser, page } = await openBrowser(width, height, scale);
  await openTimeline(page, address, `profile=${profile}&collapsed=-`);
  const part = await page.evaluate(() => {
    document.querySelector<HTMLElement>(".page")?.setAttribute("data-probe", "frames");
    return 0;
  });
  for (const zooms of [0, 6, 8]) {
    for (let i = part; i < zooms; i++) {
      await page.locator(".tl-canvas").hover();
      await page.mouse.wheel(0, -300);
    }
    await settled(page);
    const before = await cost(page);
    const script = await scriptSeconds(page);
    await pan(page, 240);
    const seconds = await script();
    const after = await cost(page);
    const frames = after.drawn - (before.drawn ?? 0);
    const perFrame = (seconds * 1000) / Math.max(frames, 1);
    const zoomed = `${Math.round(Math.exp(0.48 * zooms))} ×`;
    console.log(
      `${width}×${height}@${scale} zoomed ${zoomed.padStart(5)}: ${after.median_ms.toFixed(2)} ms median, ` +
        `${perFrame.toFixed(2)} ms scripting per frame in all, ${after.boxes} boxes, ${frames} frames`,
    );
    if (after.median_ms > BUDGET_MS) failed = true;
  }
  await browser.close();
}
if (failed) {
  console.error(`above the budget of ${BUDGET_MS} ms`);
  process.exit(1);
}
