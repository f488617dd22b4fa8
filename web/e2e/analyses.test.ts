// SPDX-License-Identifier: Apache-2.0
// Functions, memory, modules, ranks, idle time, critical path and roofline: what the pages show is what the
// command line's JSON says.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CriticalPathReport } from "../src/features/profile/critical_path/data";
import type { DistributedReport } from "../src/features/profile/distributed/data";
import type { FunctionsReport } from "../src/features/profile/functions/data";
import type { IdleReport, LaunchesReport } from "../src/features/profile/idle/data";
import type { MemoryReport } from "../src/features/profile/memory/data";
import type { ModulesReport } from "../src/features/profile/modules/data";
import type { RooflineReport } from "../src/features/profile/roofline/data";
import { bytes, count, percent, time } from "../src/lib/units";
import { type AnalysesStage, type Fixture, setAnalysesStage } from "./analyses_stage";
import { cli, exactly, type Opened, open, param, readTable, skipped } from "./harness";

let stage: AnalysesStage;
beforeAll(async () => {
  if (skipped === null) stage = await setAnalysesStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const report = <T>(fixture: Fixture, view: string, ...more: readonly string[]): T =>
  cli<T>("profile", stage.path(fixture), "--view", view, ...more);
const show = (fixture: Fixture, view: string, more: Readonly<Record<string, string>> = {}): Promise<Opened> =>
  open(stage, { profile: stage.id(fixture), view, ...more });

async function finish({ problems, close }: Opened): Promise<void> {
  expect(problems).toEqual([]);
  await close();
}

describe.skipIf(skipped !== null)("functions", () => {
  it("has the numbers of pstats in its table", async () => {
    const { functions } = report<FunctionsReport>("prof", "functions");
    const opened = await show("prof", "functions", { shape: "table" });
    const rows = await readTable(opened.page, "Functions");
    expect(rows.length).toBeGreaterThan(5);
    rows.forEach((row, i) => {
      const expected = functions?.rows[i];
      expect(row.self_ns?.title).toBe(exactly("time", expected?.self_ns ?? null));
      expect(row.total_ns?.title).toBe(exactly("time", expected?.total_ns ?? null));
      expect(row.calls?.text).toContain(count(expected?.calls));
    });
    await finish(opened);
  });

  it("draws the tree, tells ranges by the keyboard, zooms and comes back", async () => {
    const { functions } = report<{
      functions: { tree: readonly { name: string; total_least_ns: number; total_most_ns: number }[] };
    }>("prof", "functions", "--tree");
    const opened = await show("prof", "functions");
    const { page } = opened;
    const picture = page.getByRole("application").first();
    await picture.focus();
    const said: string[] = [];
    const live = picture.locator("[aria-live]");
    await page.keyboard.press("ArrowDown");
    for (const key of ["", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) {
      if (key !== "") await page.keyboard.press(key);
      said.push((await live.textContent()) ?? "");
    }
    const top = functions.tree[0];
    expect(said[0]).toContain(top?.name);
    expect(said[0]).toContain(time(top?.total_most_ns));
    // Every box that was visited is a node of the command line's tree, with its time or its range.
    for (const text of said) {
      const node = functions.tree.find(
        (n) =>
          text.includes(n.name.replace(/^[{<]|[}>]$/g, "")) &&
          (n.total_least_ns === n.total_most_ns
            ? text.includes(`${time(n.total_most_ns)} in all`)
            : text.includes(`between ${time(n.total_least_ns)} and ${time(n.total_most_ns)}`)),
      );
      expect(node, text).toBeDefined();
    }
    const ranged = functions.tree.some((n) => n.total_least_ns !== n.total_most_ns);
    expect(await page.getByText("Hatched: time that may belong to the call.").count()).toBe(ranged ? 1 : 0);
    await page.keyboard.press("Enter");
    await page.waitForURL(/root=/);
    await page.locator(".way a").first().click();
    await page.waitForURL((url) => !url.searchParams.has("root"));
    await finish(opened);
  });

  it.each(["flame", "sunburst"])("draws a %s", async (shape) => {
    const opened = await show("prof", "functions", { shape });
    await opened.page.getByRole("application").first().waitFor();
    await finish(opened);
  });

  it("puts a function between its callers and callees", async () => {
    const { functions } = report<FunctionsReport>("prof", "functions", "--callers", "--callees");
    const row = functions?.rows.find((r) => r.name === "crop");
    const opened = await show("prof", "functions", {
      shape: "sandwich",
      fn: `${row?.file}:${row?.line}:crop`,
    });
    const label = await opened.page.getByRole("application").first().getAttribute("aria-label");
    expect(label).toContain(`crop takes ${time(row?.total_ns)}`);
    expect(label).toContain(
      `${row?.callers?.length} direct callers above, ${row?.callees?.length} callees below`,
    );
    await finish(opened);
  });
});

describe.skipIf(skipped !== null)("memory", () => {
  it("has the peak, who holds it, operators and leaks", async () => {
    const { memory } = report<MemoryReport>("memory", "memory");
    const device = memory?.devices[0];
    const opened = await show("memory", "memory");
    const { page } = opened;
    const facts = await page.locator(".key-value").first().textContent();
    for (const value of [
      device?.peak_allocated_bytes,
      device?.peak_reserved_bytes,
      device?.fragmentation_max_bytes,
    ])
      expect(facts).toContain(bytes(value));
    const alive = await readTable(page, "What is alive");
    for (const holding of device?.at_peak?.operators ?? [])
      expect(alive.find((row) => row.name?.text === holding.name)?.bytes?.title).toBe(
        exactly("bytes", holding.bytes),
      );
    const operators = await readTable(page, "Operators by memory");
    device?.operators.forEach((row, i) => {
      expect(operators[i]?.self_size_increase_bytes?.title).toBe(
        exactly("bytes", row.self_size_increase_bytes),
      );
      expect(operators[i]?.allocation_bytes?.title).toBe(exactly("bytes", row.allocation_bytes));
    });
    const leaks = await readTable(page, "Left behind by every step");
    expect(leaks[0]?.bytes?.title).toBe(exactly("bytes", memory?.leaks[0]?.rows[0]?.bytes ?? null));
    await finish(opened);
  });

  it("restricts to a range, and shows what is alive at a moment", async () => {
    const document = report<MemoryReport & { files: readonly { start_ns: number }[] }>(
      "memory",
      "memory",
      "--allocations",
    );
    const start = document.files[0]?.start_ns ?? 0;
    const [from, to] = [2_000_000, 4_100_000];
    const inside = (document.memory?.allocations ?? []).filter(
      (b) =>
        b.device_type === "cuda" &&
        b.allocated_ns !== null &&
        b.allocated_ns >= start + from &&
        b.allocated_ns <= start + to,
    );
    const opened = await show("memory", "memory", { from: String(from), to: String(to), at: "3000000" });
    const rows = await readTable(opened.page, "Operators in the range");
    const total = (key: string): number =>
      rows.reduce((sum, row) => sum + Number((row[key]?.title ?? "0").replace(/[^\d]/g, "")), 0);
    expect(total("bytes")).toBe(inside.reduce((sum, b) => sum + b.bytes, 0));
    expect(total("count")).toBe(inside.length);
    const alive = await readTable(opened.page, "What is alive");
    const held = alive.reduce((sum, row) => sum + Number((row.bytes?.title ?? "0").replace(/[^\d]/g, "")), 0);
    const curve = document.memory?.devices[0]?.curve;
    const at = curve?.times_ns.findLastIndex((t) => t <= start + 3_000_000) ?? -1;
    expect(held).toBe(curve?.allocated_bytes[at]);
    await finish(opened);
  });

  it.each(["timeline", "snapshot"] as const)("opens a %s", async (fixture) => {
    const { memory } = report<MemoryReport>(fixture, "memory");
    const opened = await show(fixture, "memory");
    const label = await opened.page.locator(".line-chart").getAttribute("aria-label");
    expect(label).toContain(`peak ${bytes(memory?.devices[0]?.peak_allocated_bytes)}`);
    await finish(opened);
  });
});

describe.skipIf(skipped !== null)("the other analyses", () => {
  it("modules: every row, forward and backward", async () => {
    const { modules } = report<ModulesReport>("layers", "modules");
    const opened = await show("layers", "modules");
    const rows = await readTable(opened.page, "Modules as they are called");
    expect(rows).toHaveLength(modules?.rows.length ?? 0);
    modules?.rows.forEach((row, i) => {
      expect(rows[i]?.name?.text).toBe(row.name);
      for (const key of [
        "device_total_ns",
        "forward_device_total_ns",
        "backward_device_total_ns",
        "device_self_ns",
      ] as const)
        expect(rows[i]?.[key]?.title).toBe(exactly("time", row[key]));
    });
    await finish(opened);
  });

  it("distributed: ranks, collectives and matches", async () => {
    const { distributed } = report<DistributedReport>("ranks", "distributed");
    const opened = await show("ranks", "distributed");
    const ranks = await readTable(opened.page, "Ranks");
    distributed?.ranks.forEach((rank, i) => {
      expect(ranks[i]?.file?.text).toBe(`rank ${rank.rank}`);
      for (const key of ["average_ns", "computation_ns", "communication_ns", "waiting_ns"] as const)
        expect(ranks[i]?.[key]?.title).toBe(exactly("time", rank[key]));
    });
    const collectives = await readTable(opened.page, "Collectives");
    distributed?.collectives.forEach((row, i) => {
      expect(collectives[i]?.name?.text).toBe(row.name);
      expect(collectives[i]?.total_ns?.title).toBe(exactly("time", row.total_ns));
      expect(collectives[i]?.total_bytes?.title).toBe(exactly("bytes", row.total_bytes));
    });
    const summary = await opened.page.getByRole("application").first().getAttribute("aria-label");
    for (const rank of distributed?.ranks ?? [])
      expect(summary).toContain(percent(rank.communication_ns / rank.average_ns));
    await finish(opened);
  });

  it("distributed: a collective opens in the timeline, chosen, of the rank that came last", async () => {
    const { distributed } = report<DistributedReport>("ranks", "distributed");
    const first = distributed?.matches.toSorted((a, b) => (b.start_skew_ns ?? 0) - (a.start_skew_ns ?? 0))[0];
    const opened = await show("ranks", "distributed");
    const table = opened.page.getByRole("grid", { name: "Matched collectives" });
    await table.locator(".t-link").first().click();
    await opened.page.locator(".tl-panel .tl-event-name", { hasText: /nccl/ }).waitFor();
    expect((await param(opened.page, "event"))?.split(":")[0]).toBe(
      String(first?.last_file ?? first?.members[0]?.file),
    );
    await finish(opened);
  });

  it("idle and launches: lanes, gaps, calls, and a histogram that counts every launch", async () => {
    const { idle } = report<IdleReport>("steps", "idle");
    const { launches } = report<LaunchesReport>("steps", "launches");
    const opened = await show("steps", "idle");
    const lanes = await readTable(opened.page, "Idle time by device and stream");
    idle?.rows.forEach((lane, i) => {
      for (const key of ["idle_ns", "input_ns", "host_wait_ns", "kernel_wait_ns"] as const)
        expect(lanes[i]?.[key]?.title).toBe(exactly("time", lane[key]));
    });
    const calls = await readTable(opened.page, "Launch calls");
    launches?.rows.forEach((row, i) => {
      expect(calls[i]?.host_total_ns?.title).toBe(exactly("time", row.host_total_ns));
      expect(calls[i]?.delay_median_ns?.title).toBe(exactly("time", row.delay_median_ns));
    });
    const all = launches?.files.reduce((sum, f) => sum + f.launches, 0);
    await opened.page.getByRole("application", { name: `of ${count(all)} launches` }).waitFor();
    await finish(opened);
  });

  it("critical path: causes, what a step would take without them, links to the timeline", async () => {
    const { critical_path: path } = report<CriticalPathReport>("steps", "critical_path");
    const opened = await show("steps", "critical_path");
    const causes = await readTable(opened.page, "Causes on the critical path");
    causes.forEach((row, i) => {
      const expected = path?.causes[i];
      expect(row.average_ns?.title).toBe(exactly("time", expected?.average_ns ?? null));
      expect(row.average_if_free_ns?.title).toBe(exactly("time", expected?.average_if_free_ns ?? null));
    });
    const link = opened.page
      .getByRole("grid", { name: "Longest pieces of the critical path" })
      .locator("a")
      .first();
    expect(await link.getAttribute("href")).toMatch(/view=timeline/);
    await finish(opened);
  });

  it("roofline: rows, and peaks from the address", async () => {
    const peaks = "fp16=100e12,memory=1e12";
    const { roofline } = report<RooflineReport>("layers", "roofline", "--device-peak", peaks);
    const opened = await show("layers", "roofline", { "device-peak": peaks });
    const rows = await readTable(opened.page, "Operators by shape against their roof");
    rows.forEach((row, i) => {
      const expected = roofline?.rows[i];
      expect(row.time_ns?.title).toBe(exactly("time", expected?.time_ns ?? null));
      expect(row.lost_ns?.title).toBe(exactly("time", expected?.lost_ns ?? null));
      expect(row.bound?.text).toBe(expected?.bound ?? "–");
    });
    expect(await opened.page.locator(".roofline-devices").textContent()).toContain("peaks given by you");
    await finish(opened);
  });

  it.each([
    ["layers", "memory", "profile_memory=True"],
    ["steps", "modules", "with_stack=True"],
    ["steps", "functions", "with_stack=True"],
    ["steps", "distributed", "one folder"],
    ["memory", "idle", "ProfilerActivity.CUDA"],
    ["memory", "kernels", "ProfilerActivity.CUDA"],
  ] as const)("%s has nothing for %s, and the page says what it needs: %s", async (fixture, view, words) => {
    const opened = await show(fixture, view);
    expect(await opened.page.locator("main").textContent()).toContain(words);
    await finish(opened);
  });

  it("a trace without device events has its pages of devices dimmed, and a query about operators", async () => {
    const opened = await show("memory", "overview");
    const { page } = opened;
    const dim = page.locator("nav[aria-label=Pages] .rail-dim");
    await expect.poll(() => dim.allTextContents()).toContainEqual(expect.stringMatching(/^Kernels, no data/));
    expect(await dim.allTextContents()).toContainEqual(expect.stringMatching(/^Idle and launches, no data/));
    await page.locator("nav[aria-label=Pages] a", { hasText: "Query" }).click();
    await expect.poll(() => page.getByLabel("SQL").inputValue()).toContain("FROM operators");
    await page.getByText(/^[\d,]+ rows in/).waitFor();
    await finish(opened);
  });
});
