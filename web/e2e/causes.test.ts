// SPDX-License-Identifier: Apache-2.0
// Causes: the waterfall has the numbers of the command line's JSON, and each bar and row leads to its evidence.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CauseRow } from "../src/api/generated";
import type { Causes } from "../src/features/profile/causes/data";
import { percent } from "../src/lib/units";
import { type AnalysesStage, type Fixture, setAnalysesStage } from "./analyses_stage";
import { cli, exactly, open, param, readTable, skipped } from "./harness";

let stage: AnalysesStage;
beforeAll(async () => {
  if (skipped === null) stage = await setAnalysesStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const causesOf = (fixture: Fixture): Causes =>
  cli<{ causes: Causes }>("profile", stage.path(fixture), "--view", "causes").causes;
const show = (fixture: Fixture, view = "causes") => open(stage, { profile: stage.id(fixture), view });

// What the rows of the waterfall say, number by number, and where their bars hang.
const readBars = (page: Page) =>
  page.locator(".waterfall .fall").evaluateAll((bars) =>
    bars.map((bar) => {
      const pieces = [...bar.querySelectorAll(".fall-bar > i")].map((i) => i.getBoundingClientRect());
      const room = bar.querySelector(".fall-bar")?.getBoundingClientRect();
      const share = (x = 0): number => (x - (room?.left ?? 0)) / (room?.width ?? 1);
      return {
        name: bar.firstElementChild?.textContent ?? "",
        figures: [...bar.querySelectorAll(":scope > .num")].map((n) => n.getAttribute("title")),
        said: bar.textContent ?? "",
        to: share(pieces[1]?.left),
        from: share(pieces[1]?.right),
      };
    }),
  );

async function landed(page: Page, row: CauseRow): Promise<void> {
  await page.waitForURL(/view=timeline/);
  const layout = (await (
    await page.request.get(
      new URL(`api/v1/profiles/${await param(page, "profile")}/timeline`, stage.url).href,
    )
  ).json()) as { readonly origin_ns: string };
  const begin = row.start_ns - Number(layout.origin_ns);
  const [start, end] = [Number(await param(page, "start")), Number(await param(page, "end"))];
  expect(start).toBeLessThanOrEqual(begin);
  expect(end).toBeGreaterThanOrEqual(begin + row.duration_ns);
  expect(end - start).toBeLessThan(row.duration_ns * 1.1 + 201);
  expect(await param(page, "event")).toBe(row.event === null ? null : `${row.file}:${row.event}`);
  if (row.event !== null) await page.locator(".tl-panel .tl-event-name").waitFor();
}

describe.skipIf(skipped !== null)("the waterfall", () => {
  it.each(["steps", "host", "ranks"] as const)(
    "of %s has the numbers of the command line",
    async (fixture) => {
      const { average_ns, rows } = causesOf(fixture);
      const { page, problems, close } = await show(fixture);
      await page.locator(".waterfall").waitFor();
      const bars = await readBars(page);
      expect(rows.length).toBeGreaterThan(2);
      expect(bars).toHaveLength(rows.length + 2);
      expect(bars[0]?.name).toBe("Today’s step");
      expect(bars[0]?.figures).toEqual([exactly("time", average_ns)]);
      rows.forEach((row, i) => {
        const bar = bars[i + 1];
        expect(bar?.name).toBe(row.what);
        expect(bar?.figures).toEqual([
          exactly("time", row.saving_ns),
          exactly("percent", row.step_share),
          exactly("time", row.left_ns),
        ]);
        expect(bar?.said).toContain(`Share ${percent(row.step_share)}`);
        // It hangs where the one before ended.
        expect(bar?.from).toBeCloseTo((rows[i - 1]?.left_ns ?? average_ns) / average_ns, 2);
        expect(bar?.to).toBeCloseTo(row.left_ns / average_ns, 2);
      });
      const last = rows.at(-1)?.left_ns ?? 0;
      expect(bars.at(-1)?.name).toBe("Best reachable step");
      expect(bars.at(-1)?.figures?.at(-1)).toBe(exactly("time", last));
      expect(bars.at(-1)?.from).toBeCloseTo(last / average_ns, 2);
      const table = await readTable(page, "Causes");
      expect(table.map((row) => row.what?.text)).toEqual(rows.map((row) => row.what));
      expect(table.map((row) => row.saving_ns?.title)).toEqual(
        rows.map((row) => exactly("time", row.saving_ns)),
      );
      expect(problems).toEqual([]);
      await close();
    },
  );

  it("speaks of the trace where there are no steps", async () => {
    const { region, rows } = causesOf("whole");
    expect(region).toBe("whole_trace");
    const { page, close } = await show("whole");
    await page.locator(".waterfall").waitFor();
    expect((await readBars(page)).map((bar) => bar.name)).toEqual([
      "Today’s trace",
      ...rows.map((row) => row.what),
      "Best reachable trace",
    ]);
    await close();
  });
});

describe.skipIf(skipped !== null)("the evidence", () => {
  it.each(["steps", "host"] as const)("of %s is a click on a bar away, and Back returns", async (fixture) => {
    const { rows } = causesOf(fixture);
    const { page, problems, close } = await show(fixture);
    await page.locator("a.fall[href] .fall-bar").nth(1).click();
    await landed(page, rows[1] as CauseRow);
    await page.goBack();
    await page.locator("a.fall[href]").first().focus();
    await page.keyboard.press("Enter");
    await landed(page, rows[0] as CauseRow);
    expect(problems).toEqual([]);
    await close();
  });

  it("is a row of the table away, by mouse and by keyboard", async () => {
    const { rows } = causesOf("steps");
    const { page, close } = await show("steps");
    await page.locator("a.fall[href]").first().waitFor();
    const grid = page.getByRole("grid", { name: "Causes", exact: true });
    await grid.locator(".t-body [role=row]").nth(2).locator(".t-cell").nth(2).click();
    await landed(page, rows[2] as CauseRow);
    await page.goBack();
    await page.locator("a.fall[href]").first().waitFor();
    await grid.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await landed(page, rows[1] as CauseRow);
    await close();
  });

  it("of a cause without an event is its moment", async () => {
    const { rows } = causesOf("whole");
    expect(rows[0]?.event).toBeNull();
    const { page, close } = await show("whole");
    await page.locator("a.fall[href]").first().click();
    await landed(page, rows[0] as CauseRow);
    await close();
  });
});

describe.skipIf(skipped !== null)("the overview", () => {
  it("leads to the causes, which stand after it", async () => {
    const { page, close } = await show("steps", "overview");
    expect((await page.locator("nav[aria-label=Pages] a").allTextContents()).slice(0, 2)).toEqual([
      "Overview",
      "Causes",
    ]);
    await page.getByRole("link", { name: "All causes" }).click();
    await page.locator(".waterfall").waitFor();
    await close();
  });
});
