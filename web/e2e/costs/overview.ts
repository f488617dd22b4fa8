// SPDX-License-Identifier: Apache-2.0
// Opening a trace: how long after its reading ended the overview is seen, and how large any answer is that the page
// asks for on any of its pages.
import { settled } from "../browser";
import { seenAt, watchFor } from "./pixels";
import { browsing, loaded, viewed } from "./server";

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

export async function firstOverview(telltale: string, trace: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(
      await viewed(
        telltale,
        trace,
        async (served) =>
          await browsing(async ({ page }) => {
            await watchFor(page, FIRST_PICTURE);
            const end = loaded(served);
            await page.goto(`${served.address}?profile=${served.profile}`);
            return Math.max((await seenAt(page)) - (await end), 0);
          }),
      ),
    );
  }
  return times;
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
