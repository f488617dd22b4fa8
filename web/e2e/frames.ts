// SPDX-License-Identifier: Apache-2.0
// What a frame costs while the timeline is panned by hand, in a browser without a GPU, at several sizes: the median ms of
// scripting per frame in processor time, and by the page's own clock. Fails if the former is above the budget.
// node e2e/run.mjs frames ADDRESS PROFILE
import { addressAndProfile, openBrowser } from "./browser";
import { panningCosts } from "./costs/panning";

const BUDGET_MS = Number(process.env.BUDGET_MS ?? 8);
const MOVES = Number(process.env.MOVES ?? 120);
// Width × height @ device pixels per pixel.
const SIZES = (process.env.SIZES ?? "1440x900@1 2560x1440@1 1440x900@2")
  .split(" ")
  .map((size) => size.split(/[x@]/).map(Number) as [number, number, number]);

const { address, profile } = addressAndProfile();
let failed = false;
for (const [width, height, scale] of SIZES) {
  const { browser, page } = await openBrowser(width, height, scale);
  try {
    for (const cost of await panningCosts(browser, page, address, profile, MOVES)) {
      console.log(
        `${width}×${height}@${scale} zoomed ${`${cost.zoomed} ×`.padStart(5)}: ${cost.median_ms.toFixed(2)} ms of ` +
          `processor time, ${cost.clock_ms.toFixed(2)} ms on the clock (medians), ${cost.boxes} boxes, ${cost.frames} frames`,
      );
      if (cost.median_ms > BUDGET_MS) failed = true;
    }
  } finally {
    await browser.close();
  }
}
if (failed) {
  console.error(`above the budget of ${BUDGET_MS} ms`);
  process.exit(1);
}
