// SPDX-License-Identifier: Apache-2.0
// What the page costs, for scripts/bench --page: node e2e/run.mjs page_costs TELLTALE TRACE PROF [SNAKEVIZ]. Prints one
// JSON object: times in ms, sizes in bytes. SnakeViz, where it is given, draws the same .prof in the same browser.
import { type ChildProcess, spawn } from "node:child_process";
import type { Page } from "playwright-core";
import { openBrowser, settled } from "./browser";

const [telltale = "", trace = "", prof = "", snakeviz = ""] = process.argv.slice(3);
const REQUESTS = 30;
const SWITCHES = 200;
const SNAKEVIZ_PORT = 16107;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function serve(path: string): Promise<{ server: ChildProcess; address: string; profile: string }> {
  const server = spawn(telltale, ["view", path, "--port", "0", "--quiet"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const address = await new Promise<string>((resolve, reject) => {
    server.stdout?.once("data", (data: Buffer) => resolve(data.toString().trim()));
    server.once("exit", () => reject(new Error(`telltale view ${path} ended`)));
  });
  const list = (await (await fetch(`${address}api/v1/profiles`)).json()) as { profiles: { id: string }[] };
  return { server, address, profile: list.profiles[0]?.id ?? "" };
}

async function ready(address: string, profile: string): Promise<number> {
  for (;;) {
    const answer = await fetch(`${address}api/v1/profiles/${profile}`);
    const { state } = (await answer.json()) as { state: string };
    if (state === "ready") return performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

const result: Record<string, number> = {};

{
  const { server, address, profile } = await serve(trace);
  const { browser, page } = await openBrowser(1440, 900);
  let largest = 0;
  page.on("response", async (response) => {
    const size = await response.request().sizes();
    largest = Math.max(largest, size.responseBodySize);
  });
  const loaded = ready(address, profile);
  await page.goto(`${address}?profile=${profile}`);
  await page.waitForSelector(".page .panel .bar, .page .panel svg", { timeout: 120_000 });
  result.overview_after_load_ms = Math.max(performance.now() - (await loaded), 0);

  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const start = performance.now();
    await (await fetch(`${address}api/v1/profiles/${profile}/report?view=overview`)).arrayBuffer();
    times.push(performance.now() - start);
  }
  result.overview_request_ms = median(times);

  const views = [
    "operators",
    "kernels",
    "memory",
    "modules",
    "distributed",
    "idle",
    "critical_path",
    "roofline",
  ];
  for (const view of [...views, "timeline", "functions", "overview"]) {
    await page.goto(`${address}?profile=${profile}&view=${view}`);
    await settled(page);
  }
  result.largest_response_bytes = largest;

  const open = async (view: string): Promise<void> => {
    await page.click(`.rail a[href*="view=${view}"]`);
    await page.waitForFunction((v) => new URLSearchParams(location.search).get("view") === v, view);
  };
  for (let i = 0; i < 20; i++) await open(["overview", "operators", "kernels", "timeline"][i % 4] as string);
  await settled(page);
  const before = await heapBytes(page);
  for (let i = 0; i < SWITCHES; i++)
    await open(["overview", "operators", "kernels", "timeline"][i % 4] as string);
  await settled(page);
  result.heap_before_bytes = before;
  result.heap_after_bytes = await heapBytes(page);
  await browser.close();
  server.kill("SIGINT");
}

{
  const start = performance.now();
  const { server, address, profile } = await serve(prof);
  const { browser, page } = await openBrowser(1440, 900);
  const browserReady = performance.now();
  await page.goto(`${address}?profile=${profile}&view=functions`);
  await page.waitForSelector("canvas[aria-label]", { timeout: 120_000 });
  result.icicle_ms = performance.now() - browserReady;
  result.icicle_from_start_ms = performance.now() - start;
  await browser.close();
  server.kill("SIGINT");
}

if (snakeviz) {
  const peer = spawn(snakeviz, ["-s", "-H", "127.0.0.1", "-p", String(SNAKEVIZ_PORT), prof], {
    stdio: "ignore",
  });
  const { browser, page } = await openBrowser(1440, 900);
  const address = `http://127.0.0.1:${SNAKEVIZ_PORT}/snakeviz/${encodeURIComponent(prof)}`;
  let up = false;
  for (let i = 0; i < 400 && !up; i++) {
    up = await fetch(`http://127.0.0.1:${SNAKEVIZ_PORT}/`).then(
      () => true,
      () => false,
    );
    if (!up) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const start = performance.now();
  await page.goto(address, { timeout: 300_000 });
  await page.waitForSelector("#chart svg rect, #chart svg path", { timeout: 300_000 });
  result.snakeviz_icicle_ms = performance.now() - start;
  await browser.close();
  peer.kill("SIGINT");
}

console.log(JSON.stringify(result));
process.exit(0);
