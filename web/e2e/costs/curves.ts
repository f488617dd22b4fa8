// SPDX-License-Identifier: Apache-2.0
// Many runs in charts: from opening the address to the first chart with a line for every run, here and in TensorBoard; what
// the longest piece of work and the heap are while somebody scrolls through a page of charts.
import type { Browser, Page } from "playwright-core";
import { beside, within } from "./limits";
import { seenAt, watchFor } from "./pixels";
import { longestTask } from "./scripting";
import { browsing, serving } from "./server";

const TENSORBOARD_PORT = 16108;
const READY_MS = 240_000;
const DRAWN_MS = 240_000;
const PAUSE_MS = 100;

async function runsOf(address: string): Promise<number> {
  const answer = await fetch(`${address}api/v1/runs?limit=1`);
  return ((await answer.json()) as { all: number }).all;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + READY_MS;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > end) throw new Error(`${what} takes more than ${READY_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function withRuns<T>(
  telltale: string,
  folder: string,
  runs: number,
  work: (address: string) => Promise<T>,
): Promise<T> {
  return await serving(telltale, folder, async (address) => {
    await until("reading the runs", async () => (await runsOf(address)) >= runs);
    return await work(address);
  });
}

// Both servers have read everything. All runs are in the chart.
export async function firstChart(telltale: string, folder: string, runs: number): Promise<number> {
  return await withRuns(telltale, folder, runs, async (address) =>
    browsing(async ({ page }) => {
      await page.goto("about:blank");
      await watchFor(page, `.curve-figure[data-lines="${runs}"]`);
      const start = performance.timeOrigin + performance.now();
      await page.goto(`${address}?view=curves`, { timeout: DRAWN_MS, waitUntil: "commit" });
      return (await seenAt(page)) - start;
    }),
  );
}

// Its lines are paths, two for each run (as logged, and smoothed), below several shadow roots. Above 40 runs it draws none
// until somebody switches them on: that is done as soon as it can be.
async function tensorboardDrawn(page: Page, runs: number): Promise<number> {
  await page.evaluate((wanted) => {
    const marks = globalThis as { seenAt?: number };
    const roots = (from: Document | ShadowRoot): readonly (Document | ShadowRoot)[] => [
      from,
      ...[...from.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? roots(shadowRoot) : [])),
    ];
    let switched = false;
    const look = (): void => {
      const all = roots(document);
      if (!switched) {
        const button = all.flatMap((root) => [
          ...root.querySelectorAll<HTMLElement>("#toggle-all, paper-button"),
        ]);
        const toggle = button.find((element) => /toggle all runs/i.test(element.textContent ?? ""));
        const boxes = all.flatMap((root) => [...root.querySelectorAll("paper-checkbox, .run-row")]);
        if (toggle && boxes.length >= Math.min(wanted, 100)) {
          toggle.click();
          switched = true;
        }
      }
      for (const root of all)
        for (const svg of root.querySelectorAll("svg")) {
          const lines = [...svg.querySelectorAll("path")].filter(
            (path) => (path.getAttribute("d") ?? "").length > 40,
          );
          if (lines.length >= wanted) {
            marks.seenAt = performance.timeOrigin + performance.now();
            return;
          }
        }
      setTimeout(look, 50);
    };
    look();
  }, runs);
  return await seenAt(page);
}

export interface PeerChart {
  readonly ms: number;
  readonly gaveUp: boolean; // nothing, or not all runs, drawn by then
}

export async function tensorboardChart(
  tensorboard: string,
  folder: string,
  runs: number,
): Promise<PeerChart> {
  const origin = `http://127.0.0.1:${TENSORBOARD_PORT}/`;
  const options = [
    "--logdir",
    folder,
    "--port",
    String(TENSORBOARD_PORT),
    "--host",
    "127.0.0.1",
    "--load_fast=true",
  ];
  return await beside(tensorboard, options, async () => {
    await until("TensorBoard's reading", async () => {
      const tags = (await (await fetch(`${origin}data/plugin/scalars/tags`)).json()) as Record<
        string,
        object
      >;
      return Object.values(tags).filter((of) => Object.keys(of).length > 0).length >= runs;
    });
    return await browsing(async ({ page }) => {
      await page.goto("about:blank");
      const start = performance.timeOrigin + performance.now();
      await page.goto(`${origin}#scalars`, { timeout: DRAWN_MS });
      const drawn = tensorboardDrawn(page, runs);
      try {
        return { ms: (await within(DRAWN_MS, "TensorBoard's first chart", drawn)) - start, gaveUp: false };
      } catch {
        drawn.catch(() => {});
        return { ms: DRAWN_MS, gaveUp: true };
      }
    });
  });
}

export interface ScrolledCharts {
  readonly longest_ms: number; // processor time of the longest task of the page's thread
  readonly heap_bytes: number;
  readonly charts: number; // that were seen
}

async function scrolled(
  browser: Browser,
  page: Page,
  address: string,
  runs: number,
): Promise<ScrolledCharts> {
  let charts = 0;
  const longest = await longestTask(browser, page, async () => {
    await page.goto(`${address}?view=curves`, { waitUntil: "commit" });
    await page.waitForSelector(`.curve-figure[data-lines="${runs}"]`, { timeout: DRAWN_MS });
    await page.mouse.move(900, 500);
    for (let i = 0; i < 40; ++i) {
      await page.mouse.wheel(0, 400);
      await page.waitForTimeout(150);
      charts = Math.max(charts, await page.locator(".curve-figure").count());
    }
  });
  const session = await page.context().newCDPSession(page);
  for (let i = 0; i < 2; i++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return { longest_ms: longest, heap_bytes: usedSize, charts };
}

export async function scrollCharts(telltale: string, folder: string, runs: number): Promise<ScrolledCharts> {
  return await withRuns(telltale, folder, runs, async (address) =>
    browsing(({ browser, page }) => scrolled(browser, page, address, runs)),
  );
}
