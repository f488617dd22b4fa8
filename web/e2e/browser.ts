// SPDX-License-Identifier: Apache-2.0
// A real browser without a GPU, open on the timeline of a running `telltale view`.
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page, type Request } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const READY_MS = 30_000;
const QUIET_MS = 500;

export interface Opened {
  readonly browser: Browser;
  readonly page: Page;
  readonly problems: string[]; // what the page reported as errors
}

// What a page has asked for and not got yet. The driver's own "networkidle" never comes: nobody tells it that the
// script of a shared worker has arrived.
const asked = new WeakMap<Page, Set<Request>>();

export function watchRequests(page: Page): void {
  const underWay = new Set<Request>();
  asked.set(page, underWay);
  page.on("request", (request) => {
    if (request.resourceType() === "fetch") underWay.add(request);
  });
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => underWay.delete(request));
}

async function untilQuiet(page: Page): Promise<void> {
  const until = Date.now() + READY_MS;
  for (let quiet = 0; quiet < QUIET_MS; ) {
    if (Date.now() > until) throw new Error(`requests are still under way after ${READY_MS} ms`);
    await page.waitForTimeout(50);
    quiet = asked.get(page)?.size === 0 ? quiet + 50 : 0;
  }
}

// Ends the test, not as failed, where there is no browser.
export async function openBrowser(width: number, height: number, scale = 1): Promise<Opened> {
  if (!existsSync(CHROMIUM)) {
    console.log(`skipped: no ${CHROMIUM}`);
    process.exit(0);
  }
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: scale });
  watchRequests(page);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  return { browser, page, problems };
}

export async function openTimeline(page: Page, address: string, query: string): Promise<void> {
  await page.goto(`${address}?view=timeline&${query}`);
  await page.waitForSelector(".tl-canvas canvas", { timeout: READY_MS });
  await settled(page);
}

// Until nothing is under way and the picture no longer changes.
export async function settled(page: Page): Promise<void> {
  await untilQuiet(page);
  await page.waitForFunction(() => document.querySelector(".tl-busy") === null, null, { timeout: READY_MS });
  await page.waitForTimeout(400);
}

export function addressAndProfile(): { address: string; profile: string } {
  const [address, profile] = process.argv.slice(3);
  if (!address) {
    console.error("usage: node e2e/run.mjs TEST ADDRESS [PROFILE]");
    process.exit(2);
  }
  return { address, profile: profile ?? "" };
}
