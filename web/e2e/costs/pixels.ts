// SPDX-License-Identifier: Apache-2.0
// When something is first seen: the end of the first frame in which a selector finds an element.
import type { Page } from "playwright-core";

const SEEN_MS = 240_000;

// To be called before the page is opened.
export async function watchFor(page: Page, selector: string): Promise<void> {
  await page.addInitScript((wanted) => {
    const marks = globalThis as { seenAt?: number };
    const look = (): void => {
      if (document.querySelector(wanted) === null) {
        requestAnimationFrame(look);
        return;
      }
      // A message is handled after the frame was painted.
      const painted = new MessageChannel();
      painted.port1.onmessage = () => {
        marks.seenAt = performance.timeOrigin + performance.now();
      };
      requestAnimationFrame(() => painted.port2.postMessage(0));
    };
    requestAnimationFrame(look);
  }, selector);
}

// ms since 1970.
export async function seenAt(page: Page): Promise<number> {
  const handle = await page.waitForFunction(() => (globalThis as { seenAt?: number }).seenAt, null, {
    timeout: SEEN_MS,
    polling: 50,
  });
  return (await handle.jsonValue()) as number;
}
