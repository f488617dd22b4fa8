// SPDX-License-Identifier: Apache-2.0
// From opening the address to the first icicle of a .prof file, here and in SnakeViz: both servers run and have not
// read the file, both draw in the same browser, one after the other.

import { beside, within } from "./limits";
import { seenAt, watchFor } from "./pixels";
import { browsing, viewed } from "./server";

const SNAKEVIZ_PORT = 16107;
const START_MS = 60_000;
const DRAWN_MS = 300_000;
const PATIENCE_MS = 90_000; // with SnakeViz

async function untilDrawn(address: string, selector: string): Promise<number> {
  return await browsing(async ({ page }) => {
    await page.goto("about:blank");
    await watchFor(page, selector);
    const start = performance.timeOrigin + performance.now();
    await page.goto(address, { timeout: DRAWN_MS, waitUntil: "commit" });
    return (await seenAt(page)) - start;
  });
}

export async function firstIcicle(telltale: string, prof: string): Promise<number> {
  return await viewed(
    telltale,
    prof,
    async ({ address, profile }) =>
      await untilDrawn(`${address}?profile=${profile}&view=functions`, ".picture-area canvas"),
  );
}

async function answers(address: string): Promise<void> {
  for (;;) {
    const up = await fetch(address).then(
      () => true,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export interface Peer {
  readonly ms: number;
  readonly gaveUp: boolean; // nothing was drawn by then
}

export async function snakevizIcicle(snakeviz: string, prof: string): Promise<Peer> {
  const origin = `http://127.0.0.1:${SNAKEVIZ_PORT}/`;
  return await beside(snakeviz, ["-s", "-H", "127.0.0.1", "-p", String(SNAKEVIZ_PORT), prof], async () => {
    await within(START_MS, "starting SnakeViz", answers(origin));
    const drawn = untilDrawn(
      `${origin}snakeviz/${encodeURIComponent(prof)}`,
      "#chart svg rect, #chart svg path",
    );
    try {
      return { ms: await within(PATIENCE_MS, "SnakeViz's first icicle", drawn), gaveUp: false };
    } catch {
      drawn.catch(() => {}); // its browser may still be on the way
      return { ms: PATIENCE_MS, gaveUp: true };
    }
  });
}
