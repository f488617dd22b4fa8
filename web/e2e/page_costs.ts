// SPDX-License-Identifier: Apache-2.0
// What the page costs, for scripts/bench --page:
//   node e2e/run.mjs page_costs TELLTALE TRACE LARGE_TRACE PROF [SNAKEVIZ]
// Prints one JSON object: times in ms, sizes in bytes. What could not be measured is named in `failed`.
import { firstIcicle, type Peer, snakevizIcicle } from "./costs/icicle";
import { within } from "./costs/limits";
import { firstOverview, largestResponse } from "./costs/overview";
import { panningCosts } from "./costs/panning";
import { scrollingCosts } from "./costs/scrolling";
import { browsing, load, viewed } from "./costs/server";
import { heapOverSwitches } from "./costs/switches";

const [telltale = "", trace = "", large = "", prof = "", snakeviz = ""] = process.argv.slice(3);
if (prof === "") {
  console.error("usage: node e2e/run.mjs page_costs TELLTALE TRACE LARGE_TRACE PROF [SNAKEVIZ]");
  process.exit(2);
}
const PART_MS = 300_000;
const MOVES = 120;

const result: Record<string, unknown> = {};
const failed: Record<string, string> = {};

// One that fails or takes too long leaves the others alone.
async function part(name: string, work: () => Promise<unknown>): Promise<void> {
  console.error(`measuring: ${name}`);
  try {
    result[name] = await within(PART_MS, name, work());
    console.error(JSON.stringify(result[name]));
  } catch (error) {
    failed[name] = error instanceof Error ? error.message : String(error);
  }
}

await part("overview_after_load_ms", () => firstOverview(telltale, trace));
await part("largest_response", () => largestResponse(telltale, trace));
await part("heap", () => heapOverSwitches(telltale, trace));
await part("panning", () =>
  viewed(telltale, large, async (served) => {
    await load(served);
    return await browsing(({ browser, page }) =>
      panningCosts(browser, page, served.address, served.profile, MOVES),
    );
  }),
);
await part("scrolling", () => viewed(telltale, prof, scrollingCosts));
const rounds = 2;
const icicles: number[] = [];
const peers: Peer[] = [];
await part("icicle_ms", async () => {
  for (let i = 0; i < rounds; i++) {
    icicles.push(await firstIcicle(telltale, prof));
    if (snakeviz !== "" && !peers.some((peer) => peer.gaveUp))
      peers.push(await snakevizIcicle(snakeviz, prof));
  }
  return icicles;
});
if (peers.length > 0) {
  result.snakeviz_icicle_ms = peers.map((peer) => peer.ms);
  result.snakeviz_gave_up = peers.some((peer) => peer.gaveUp);
}

console.log(JSON.stringify({ ...result, failed }));
process.exit(0);
