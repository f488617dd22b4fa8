// SPDX-License-Identifier: Apache-2.0
// The table of all functions of a large .prof file, scrolled by wheel: first slowly, then in leaps.
import { settled } from "../browser";
import { type Scripting, scriptingDuring } from "./scripting";
import { browsing, load, type Served } from "./server";

const TURNS = 120;
const OPEN_MS = 60_000;

export interface Scrolling extends Scripting {
  readonly rows: number;
}

export async function scrollingCosts(served: Served): Promise<Scrolling> {
  await load(served);
  return await browsing(async ({ browser, page }) => {
    await page.goto(`${served.address}?profile=${served.profile}&view=functions&shape=table&all=1`);
    const table = page.locator(".t-body").first();
    await table.waitFor({ timeout: OPEN_MS });
    await settled(page);
    const rows = Number(await page.locator("[aria-rowcount]").first().getAttribute("aria-rowcount"));
    const box = await page.locator(".t-grid").first().boundingBox();
    if (!box) throw new Error("the table has no size");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const scripting = await scriptingDuring(browser, page, async () => {
      for (let i = 0; i < TURNS; i++) await page.mouse.wheel(0, i < TURNS / 2 ? 120 : 4000);
    });
    return { rows, ...scripting };
  });
}
