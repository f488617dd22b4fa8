// SPDX-License-Identifier: Apache-2.0
// What pages say of a profile beyond their main tables: totals of lists that are cut, examples that are chosen where a
// link leads, ranks in charts, what is not known, what goes on paper.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProfileList } from "../src/api/types";
import { launch, param, readTable, type Served, sentence, serve, skipped } from "./harness";
import { type Event, trace, training } from "./make_profiles";

let browser: Browser;
let served: Served;
let folder: string;
let list: ProfileList;

const LAUNCHES = 300;

// One operator that launches more than a panel lists, memory calls that launch nothing, and a copy whose name does not
// tell what memory it uses.
function manyLaunches(): readonly Event[] {
  const host = (cat: string, name: string, ts: number, dur: number, args: object = {}): Event => ({
    ph: "X",
    cat,
    name,
    pid: 100,
    tid: 1,
    ts,
    dur,
    args,
  });
  const device = (cat: string, name: string, ts: number, correlation: number, args: object = {}): Event => ({
    ph: "X",
    cat,
    name,
    pid: 0,
    tid: 7,
    ts,
    dur: 4,
    args: { correlation, device: 0, stream: 7, ...args },
  });
  const events: Event[] = [host("cpu_op", "aten::many", 100, 10_000)];
  for (let i = 1; i <= LAUNCHES; ++i) {
    events.push(
      host("cuda_runtime", "hipLaunchKernel", 100 + i * 20, 5, { correlation: i }),
      device("kernel", `small_${i % 3}`, 110 + i * 20, i),
    );
  }
  events.push(
    host("cuda_runtime", "hipMalloc", 6500, 900),
    host("cuda_runtime", "hipDeviceSynchronize", 7500, 1200),
    host("cuda_runtime", "hipMemcpyAsync", 9000, 5, { correlation: 9999 }),
    device("gpu_memcpy", "CopyHostToDevice", 9010, 9999, { bytes: 4096 }),
    host("cuda_runtime", "hipMemcpyAsync", 20_000, 5, { correlation: 10_000 }),
    device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 20_010, 10_000, { bytes: 4096 }),
  );
  return events;
}

// As viztracer writes a program.
const functions = (): readonly Event[] =>
  [
    ["main (/home/ann/fit.py:1)", 0, 1000],
    ["step (/home/ann/fit.py:20)", 100, 700],
    ["builtins.sum", 200, 300],
  ].map(([name, ts, dur]) => ({ ph: "X", cat: "fee", name, pid: 1, tid: 1, ts, dur }));

beforeAll(async () => {
  if (skipped !== null) return;
  folder = mkdtempSync(join(tmpdir(), "telltale-evidence-"));
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  put("many/many.json", trace(manyLaunches()));
  put("training/training.json", trace(training(4000)));
  const onHost = ({ cat }: Event): boolean => cat === "cpu_op" || cat === "user_annotation";
  put("host/host.json", trace(training(4000).filter(onHost)));
  put("functions/program.json", JSON.stringify({ traceEvents: functions() }));
  put("training/config.json", '{"lr": 0.1}');
  for (const rank of [0, 1])
    put(
      `ranks/worker${rank}.1.pt.trace.json`,
      trace(training(500 + 900 * rank), { distributedInfo: { backend: "nccl", rank, world_size: 2 } }),
    );
  served = await serve(folder);
  list = (await (await fetch(new URL("api/v1/profiles", served.url))).json()) as ProfileList;
  browser = await launch();
});
afterAll(async () => {
  if (skipped !== null) return;
  await browser.close();
  served.stop();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = (part: string): string =>
  list.profiles.find((p) => p.paths.some((path) => path.includes(part)))?.id ?? "";

async function visit(part: string, params: Readonly<Record<string, string>> = {}): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1500, height: 900 } })).newPage();
  const address = new URL(served.url);
  address.search = new URLSearchParams({ profile: idOf(part), ...params }).toString();
  await page.goto(address.href);
  await page.locator(".sentence:not([aria-busy])").first().waitFor();
  return page;
}
const end = (page: Page): Promise<void> => page.context().close();

describe.skipIf(skipped !== null)("lists that are cut", () => {
  it("have the number of all in the panel of an event", async () => {
    const page = await visit("many/", { view: "timeline", event: "0:0" });
    await page.locator(".tl-panel h3", { hasText: `Launched ${LAUNCHES + 1}` }).waitFor();
    await page.getByText(`and ${LAUNCHES + 1 - 12} more`, { exact: true }).waitFor();
    await end(page);
  });

  it("hold all calls of the runtime, also those that launch nothing", async () => {
    const page = await visit("many/", { view: "operators", by: "runtime" });
    const rows = await readTable(page, "Runtime calls");
    expect(rows.map((row) => row.name?.text)).toEqual([
      "hipLaunchKernel",
      "hipDeviceSynchronize",
      "hipMalloc",
      "hipMemcpyAsync",
    ]);
    expect(rows[2]?.delay_median_ns?.text).toBe("–");
    await end(page);
  });
});

describe.skipIf(skipped !== null)("what is not known", () => {
  it("of a copy's memory is not said to be no", async () => {
    const page = await visit("many/", { view: "kernels", by: "copies" });
    const rows = await readTable(page, "kinds of copies");
    const known = new Map(rows.map((row) => [row.name?.text, row.pageable?.text]));
    expect(known.get("CopyHostToDevice")).toBe("–");
    expect(known.get("Memcpy HtoD (Pageable -> Device)")).toBe("yes");
    await end(page);
  });
});

describe.skipIf(skipped !== null)("a capture without a device", () => {
  it("has no place for what only a device does", async () => {
    const page = await visit("host/", { view: "overview" });
    expect(await page.locator(".share-legend .share-title").allTextContents()).toEqual([
      "DataLoader",
      "CPU operators",
      "Other",
    ]);
    expect(await page.getByRole("heading", { name: "Top kernels" }).count()).toBe(0);
    await end(page);
  });
});

describe.skipIf(skipped !== null)("a link to the timeline", () => {
  it("from an example chooses the event", async () => {
    const page = await visit("training/", { view: "overview" });
    await page.locator(".advice-example").first().click();
    await page.locator(".tl-panel .tl-event-name", { hasText: /\S{3,}/ }).waitFor();
    expect(await param(page, "event")).toMatch(/^0:\d+$/);
    await end(page);
  });
});

describe.skipIf(skipped !== null)("Escape", () => {
  it("closes the panel of an operator", async () => {
    const page = await visit("training/", { view: "operators", open: "aten::mm" });
    await page.locator(".detail").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".detail").count()).toBe(0);
    expect(await param(page, "open")).toBeNull();
    await end(page);
  });
});

describe.skipIf(skipped !== null)("steps of several ranks", () => {
  it("are charted with their rank", async () => {
    const page = await visit("ranks/", { view: "steps" });
    const labels = await page.locator(".steps-chart text").allTextContents();
    expect(labels.length).toBeGreaterThan(1);
    for (const label of labels) expect(label).toMatch(/^\d+ rank [01]$/);
    await end(page);
  });
});

describe.skipIf(skipped !== null)("a trace of functions", () => {
  it("opens on its functions, and its overview has their answer", async () => {
    const page = await visit("functions/");
    await expect.poll(() => param(page, "view")).toBe("functions");
    await expect.poll(() => sentence(page)).toContain("in step (fit.py:20)");
    await page.locator("nav[aria-label=Pages] a", { hasText: "Overview" }).click();
    expect((await readTable(page, "Top functions"))[0]?.name?.text).toContain("step");
    expect(await page.locator(".share-legend").count()).toBe(0);
    await end(page);
  });
});

describe.skipIf(skipped !== null)("paper", () => {
  it("has every row of a table and the whole chart", async () => {
    const page = await visit("many/", {
      view: "query",
      sql: "SELECT name, start_ns FROM events ORDER BY start_ns LIMIT 500",
    });
    const rows = page.locator(".t-body [role=row]");
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(100);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await expect.poll(() => rows.count()).toBe(500);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await expect.poll(() => rows.count()).toBeLessThan(100);
    await end(page);
    const steps = await visit("training/", { view: "steps" });
    await steps.emulateMedia({ media: "print" });
    await steps.setViewportSize({ width: 700, height: 900 });
    const fits = await steps
      .locator(".steps-chart svg")
      .evaluate((svg) => svg.getBoundingClientRect().right <= innerWidth);
    expect(fits).toBe(true);
    await end(steps);
  });
});

describe.skipIf(skipped !== null)("the list of profiles", () => {
  it("says what it skipped, and why", async () => {
    const page = await visit("training/", { view: "overview" });
    await page.getByText("1 file skipped").click();
    await page.locator(".rail-skipped li", { hasText: "config.json" }).waitFor();
    await end(page);
  });
});

describe.skipIf(skipped !== null)("sentences", () => {
  it("of the page name no option of the command line", async () => {
    for (const { id } of list.profiles)
      for (const view of (list.profiles.find((p) => p.id === id)?.views ?? []).concat([
        "overview",
        "roofline",
        "critical_path",
        "launches",
        "memory",
      ])) {
        const report = await fetch(new URL(`api/v1/profiles/${id}/report?view=${view}`, served.url));
        const { sentence } = (await report.json()) as { sentence?: string };
        expect(sentence ?? "", `${view} of ${id}`).not.toMatch(/(^|\W)--[a-z]/);
      }
  });
});
