// SPDX-License-Identifier: Apache-2.0
// Opening a trace: how long after its reading ended the overview is seen, and how large any answer is that the page
// asks for on any of its pages.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { settled } from "../browser";
import { seenAt, watchFor } from "./pixels";
import { browsing, listed, loaded, serving, viewed } from "./server";

const ROUNDS = 3;
const FIRST_PICTURE = ".page .panel .share-bar";

export const PAGES = [
  "overview",
  "timeline",
  "steps",
  "operators",
  "kernels",
  "memory",
  "modules",
  "distributed",
  "idle",
  "critical_path",
  "roofline",
  "functions",
  "annotations",
  "query",
  "diagnostics",
] as const;

// Somebody looks at a small trace and then opens the large one: what is measured is neither the start of the browser
// nor the reading.
export async function firstOverview(telltale: string, trace: string): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-costs-"));
  const [small, large] = [join(folder, "small"), join(folder, "large")];
  mkdirSync(small);
  mkdirSync(large);
  const event = { ph: "X", cat: "cpu_op", name: "aten::add", pid: 1, tid: 1, ts: 1, dur: 1 };
  writeFileSync(join(small, "small.pt.trace.json"), JSON.stringify({ traceEvents: [event] }));
  copyFileSync(trace, join(large, basename(trace)));
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await opened(telltale, folder));
    return times;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function opened(telltale: string, folder: string): Promise<number> {
  return await serving(
    telltale,
    folder,
    async (address) =>
      await browsing(async ({ page }) => {
        const [small, large] = [await listed(address, "small"), await listed(address, "large")];
        await watchFor(page, `body:has(.rail-profile[aria-current][title*="large"]) ${FIRST_PICTURE}`);
        await page.goto(`${address}?profile=${small.profile}`);
        await settled(page);
        const end = loaded(large);
        await page.evaluate((profile) => {
          const link = document.createElement("a");
          link.href = `?profile=${profile}&view=overview`;
          document.body.append(link);
          link.click();
          link.remove();
        }, large.profile);
        return Math.max((await seenAt(page)) - (await end), 0);
      }),
  );
}

export interface Largest {
  readonly bytes: number;
  readonly address: string;
}

// Bodies as they are sent, compressed or not.
export async function largestResponse(telltale: string, trace: string): Promise<Largest> {
  return await viewed(
    telltale,
    trace,
    async ({ address, profile }) =>
      await browsing(async ({ page }) => {
        const sizes: Promise<Largest>[] = [];
        // A request that ends, which that for the stream of changes never does.
        page.on("requestfinished", (request) => {
          sizes.push(
            request.sizes().then(
              (size) => ({ bytes: size.responseBodySize, address: request.url() }),
              () => ({ bytes: 0, address: "" }),
            ),
          );
        });
        for (const view of PAGES) {
          await page.goto(`${address}?profile=${profile}&view=${view}`);
          await settled(page);
        }
        const all = await Promise.all(sizes);
        return all.reduce((a, b) => (b.bytes > a.bytes ? b : a));
      }),
  );
}
