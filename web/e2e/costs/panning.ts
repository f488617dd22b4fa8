// SPDX-License-Identifier: Apache-2.0
// A hand that drags the timeline to and fro, at three zooms.
import type { Browser, Page } from "playwright-core";
import { openTimeline, settled } from "../browser";
import { scriptingDuring } from "./scripting";

const ZOOMS = [0, 6, 14]; // turns of the wheel

export interface Panning {
  readonly zoomed: number; // ×
  readonly median_ms: number; // of processor time
  readonly clock_ms: number; // by the page's own clock
  readonly boxes: number;
  readonly frames: number;
}

interface Drawn {
  readonly drawn?: number;
  readonly median_ms?: number;
  readonly boxes?: number;
}

async function drawn(page: Page): Promise<Drawn> {
  return JSON.parse((await page.getAttribute(".tl-canvas canvas", "data-frames")) ?? "{}") as Drawn;
}

async function pan(page: Page, moves: number): Promise<void> {
  const box = await page.locator(".tl-canvas").boundingBox();
  if (!box) throw new Error("the timeline has no size");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  for (let i = 0; i < moves; i++)
    await page.mouse.move(box.x + box.width * (0.5 + 0.4 * Math.sin(i / 12)), y);
  await page.mouse.up();
}

export async function panningCosts(
  browser: Browser,
  page: Page,
  address: string,
  profile: string,
  moves: number,
): Promise<readonly Panning[]> {
  await openTimeline(page, address, `profile=${profile}&collapsed=-`);
  await page.evaluate(() => document.querySelector(".page")?.setAttribute("data-probe", "frames"));
  const costs: Panning[] = [];
  let wheels = 0;
  for (const zoom of ZOOMS) {
    for (; wheels < zoom; wheels++) {
      await page.locator(".tl-canvas").hover();
      await page.mouse.wheel(0, -300);
    }
    await settled(page);
    const before = await drawn(page);
    const scripting = await scriptingDuring(browser, page, () => pan(page, moves));
    const after = await drawn(page);
    costs.push({
      zoomed: Math.round(Math.exp(0.48 * zoom)),
      median_ms: scripting.median_ms,
      clock_ms: after.median_ms ?? Number.NaN,
      boxes: after.boxes ?? 0,
      frames: (after.drawn ?? 0) - (before.drawn ?? 0),
    });
  }
  return costs;
}
