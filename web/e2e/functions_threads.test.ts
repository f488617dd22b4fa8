// SPDX-License-Identifier: Apache-2.0
// The threads of a program on the page of functions: one is shown unless all are chosen, helpers that wait are apart,
// and the calls of one can be seen in the order of time.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, param, readTable, type Served, sentence, serve, skipped } from "./harness";

const FRAMES = [
  { name: "main", file: "train.py", line: 1 },
  { name: "step", file: "train.py", line: 9 },
  { name: "load", file: "train.py", line: 20 },
  { name: "wait", file: "/usr/lib/python3.11/threading.py", line: 312 },
];
const thread = (name: string, samples: readonly (readonly number[])[], weights: readonly number[]) => ({
  type: "sampled",
  name,
  unit: "milliseconds",
  startValue: 0,
  endValue: weights.reduce((sum, weight) => sum + weight, 0),
  samples,
  weights,
});
const PROFILE = {
  $schema: "https://www.speedscope.app/file-format-schema.json",
  shared: { frames: FRAMES },
  profiles: [
    thread("MainThread", [[0], [0, 1], [0, 2], [0, 1]], [10, 40, 20, 30]),
    thread("worker", [[0, 2]], [25]),
    thread("monitor", [[3]], [1000]),
  ],
};

let served: Served;
let browser: Browser;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), "telltale-threads-"));
beforeAll(async () => {
  if (skipped !== null) return;
  writeFileSync(join(folder, "run.speedscope.json"), JSON.stringify(PROFILE));
  writeFileSync(join(folder, "sums.collapsed.txt"), "main;train 120\nmain;load 60\n");
  served = await serve(folder);
  browser = await launch();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
});
afterAll(async () => {
  if (skipped !== null) return;
  await browser.close();
  served.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function openFunctions(file: string, params: Readonly<Record<string, string>> = {}): Promise<void> {
  const { profiles } = (await (await fetch(new URL("api/v1/profiles", served.url))).json()) as {
    profiles: readonly { id: string; paths: readonly string[] }[];
  };
  const profile = profiles.find(({ paths }) => paths.some((path) => path.endsWith(file)))?.id ?? "";
  const address = new URL(served.url);
  address.search = new URLSearchParams({ profile, view: "functions", ...params }).toString();
  await page.goto(address.href);
  await page.waitForSelector(".sentence:not([aria-busy])");
}

describe.skipIf(skipped !== null)("threads", () => {
  it("are not summed unasked: the one that worked most is shown", async () => {
    await openFunctions("run.speedscope.json", { shape: "table" });
    expect(await sentence(page)).toContain("100.0 ms on MainThread");
    const rows = await readTable(page, "Functions");
    expect(rows.map((row) => row.name?.text)).toEqual(["step", "load", "main"]);
    const picker = page.getByLabel("Thread");
    expect(await picker.locator("optgroup[label='Only waiting'] option").allTextContents()).toEqual([
      "monitor, 1.000 s",
    ]);
    await picker.selectOption({ label: "worker, 25.00 ms" });
    await expect.poll(() => param(page, "thread")).toBe("1");
    await expect.poll(() => sentence(page)).toContain("25.0 ms on worker");
    await picker.selectOption("all");
    await expect.poll(() => sentence(page)).toContain("1.12 s");
    await page.reload();
    await page.waitForSelector(".sentence:not([aria-busy])");
    expect(await page.getByLabel("Thread").inputValue()).toBe("all");
  });

  it("show their calls in the order of time, and a call's own time on a click", async () => {
    await openFunctions("run.speedscope.json", { shape: "time" });
    const chart = page.getByRole("application", {
      name: /Calls of MainThread in the order of time.* 4 boxes/,
    });
    await chart.waitFor();
    await chart.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => param(page, "from")).toBe("10000000");
    expect(await param(page, "to")).toBe("50000000");
    await page.getByRole("link", { name: "all of MainThread" }).click();
    await expect.poll(() => param(page, "from")).toBe(null);
    await page.locator(".functions-thread select").selectOption("all");
    await page.getByText("choose one to see its calls in the order of time").waitFor();
  });

  it("have no order where a file has sums alone, and that is said", async () => {
    await openFunctions("sums.collapsed.txt", { shape: "time" });
    await page.getByText("not when they ran").waitFor();
  });
});
