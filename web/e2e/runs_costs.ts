// SPDX-License-Identifier: Apache-2.0
// What pages of many runs cost, for scripts/bench --runs:
//   node e2e/run.mjs runs_costs TELLTALE SWEEP RUNS WIDE RUNS [TENSORBOARD]
// Each folder is followed by the number of its runs. Prints one JSON object: times in ms, sizes in bytes. What could not
// be measured is named in `failed`.
import { firstChart, type PeerChart, scrollCharts, tensorboardChart } from "./costs/curves";
import { within } from "./costs/limits";

const [telltale = "", sweep = "", sweepRuns = "", wide = "", wideRuns = "", tensorboard = ""] =
  process.argv.slice(3);
if (wideRuns === "") {
  console.error("usage: node e2e/run.mjs runs_costs TELLTALE SWEEP RUNS WIDE RUNS [TENSORBOARD]");
  process.exit(2);
}
const PART_MS = 900_000;
const ROUNDS = 2;

const result: Record<string, unknown> = {};
const failed: Record<string, string> = {};

async function part(name: string, work: () => Promise<unknown>): Promise<void> {
  console.error(`measuring: ${name}`);
  try {
    result[name] = await within(PART_MS, name, work());
    console.error(JSON.stringify(result[name]));
  } catch (error) {
    failed[name] = error instanceof Error ? error.message : String(error);
  }
}

// In turns, so that both see the same load of the machine.
const peers: PeerChart[] = [];
const times: number[] = [];
await part("tensorboard_chart", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    times.push(await firstChart(telltale, sweep, Number(sweepRuns)));
    if (tensorboard !== "" && !peers.some(({ gaveUp }) => gaveUp))
      peers.push(await tensorboardChart(tensorboard, sweep, Number(sweepRuns)));
  }
  return peers;
});
// What one of them did before the other failed counts.
if (times.length > 0) result.first_chart_ms = times;
if (peers.length > 0) result.tensorboard_chart = peers;
await part("sweep", () => scrollCharts(telltale, sweep, Number(sweepRuns)));
await part("wide", () => scrollCharts(telltale, wide, Number(wideRuns)));

console.log(JSON.stringify({ ...result, failed }));
process.exit(0);
