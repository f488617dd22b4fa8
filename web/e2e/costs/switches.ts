// SPDX-License-Identifier: Apache-2.0
// The page's memory while somebody walks through all its pages: the heap after a collection, before and after each
// stretch of the way.
import type { Page } from "playwright-core";
import { settled } from "../browser";
import { PAGES } from "./overview";
import { browsing, load, viewed } from "./server";

// What is kept on purpose is full by then: answers, the browser's list of requests, compiled code.
const WARM_UP = 150;
const SWITCHES = 200;
const STRETCH = 50;
const OPEN_MS = 30_000;

async function heapBytes(page: Page): Promise<number> {
  await settled(page);
  const session = await page.context().newCDPSession(page);
  // What a first collection finalises, a second one frees.
  for (let i = 0; i < 2; i++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

export async function heapOverSwitches(telltale: string, trace: string): Promise<readonly number[]> {
  return await viewed(
    telltale,
    trace,
    async (served) =>
      await browsing(async ({ page }) => {
        await load(served);
        await page.goto(`${served.address}?profile=${served.profile}`);
        await settled(page);
        const walk = async (switches: number, whole: boolean): Promise<void> => {
          for (let i = 0; i < switches; i++) {
            const view = PAGES[i % PAGES.length] as string;
            await page.evaluate(
              (v) => document.querySelector<HTMLElement>(`.rail a[href*="view=${v}"]`)?.click(),
              view,
            );
            await page.waitForFunction(
              (v) => document.querySelector(`.rail-pages a[aria-current][href*="view=${v}"]`) !== null,
              view,
              { timeout: OPEN_MS },
            );
            await page.waitForFunction(
              () => document.querySelector(".page h1, .page .sentence") !== null,
              null,
              {
                timeout: OPEN_MS,
              },
            );
            if (whole) await settled(page);
            else await page.waitForTimeout(30);
          }
          // Both ends are taken on the same page.
          await page.evaluate(() => document.querySelector<HTMLElement>(".rail-pages a")?.click());
        };
        await walk(PAGES.length, true);
        await walk(WARM_UP, false);
        const heap = [await heapBytes(page)];
        for (let i = 0; i < SWITCHES; i += STRETCH) {
          await walk(STRETCH, false);
          heap.push(await heapBytes(page));
        }
        return heap;
      }),
  );
}
