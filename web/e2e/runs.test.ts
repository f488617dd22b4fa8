// SPDX-License-Identifier: Apache-2.0
// The pages of runs in a browser: what they show is what the API says, and what one does there is in the address.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run, RunList } from "../src/api/runs";
import { numberOf, shortNumber } from "../src/lib/runs/numbers";
import { decodePoints } from "../src/lib/runs/points";
import { open as openPage, param, sentence, skipped } from "./harness";
import { type RunsStage, setRunsStage } from "./runs_stage";

let stage: RunsStage;
beforeAll(async () => {
  if (skipped === null) stage = await setRunsStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const open = (params: Readonly<Record<string, string>>) => openPage(stage, params);
const rows = (page: Page) => page.getByRole("grid", { name: "Runs" }).locator(".t-body [role=row][id]");
const chart = (page: Page, title: string) =>
  page
    .locator("section.curve-card", { has: page.getByRole("heading", { name: title, exact: true }) })
    .locator(".curve-figure");
const linesOf = async (page: Page, title: string): Promise<number> =>
  Number(await chart(page, title).getAttribute("data-lines"));

describe.skipIf(skipped !== null)("runs", () => {
  it("are what a folder opens on, with names and last values as the API has them", async () => {
    const { page, problems, close } = await open({});
    await rows(page).first().waitFor();
    expect(await sentence(page)).toContain(String(stage.runs.length));
    const heads = await page
      .locator(".runs-grid [role=columnheader]")
      .evaluateAll((list) => list.map((h) => h.getAttribute("data-column")));
    const last = heads.find((key) => key?.startsWith("last:")) as string;
    const metric = decodeURIComponent(last.slice(5));
    const head = await page.locator(`.runs-grid [data-column="${last}"]`).boundingBox();
    expect((head?.x ?? 1e9) + (head?.width ?? 0)).toBeLessThan(1600); // it is seen
    const { runs } = await stage.api<RunList>(`runs?limit=1000&metrics=${encodeURIComponent(metric)}`);
    const shown = await rows(page).evaluateAll(
      (list, at) =>
        list.map((row) => [
          row.querySelector(".runs-name .name")?.getAttribute("title"),
          (row.children[at] as HTMLElement).textContent,
        ]),
      heads.indexOf(last),
    );
    expect(shown.toSorted()).toEqual(
      runs.map((run) => [run.name, shortNumber(numberOf(run.metrics[metric]?.last))]).toSorted(),
    );
    expect(problems).toEqual([]);
    await close();
  });

  it("are filtered by the language of the command line; what is wrong is said in place", async () => {
    const { page, close } = await open({});
    await rows(page).first().waitFor();
    const box = page.getByRole("combobox", { name: "Filter runs" });
    await box.fill("lr > 0.05");
    await expect.poll(() => param(page, "where")).toBe("lr > 0.05");
    const { total } = await stage.api<RunList>("runs?where=lr%20%3E%200.05&limit=1");
    await expect.poll(() => rows(page).count()).toBe(total);
    expect(total).toBeLessThan(stage.runs.length);
    await box.fill("nothing_of_the_kind > 1");
    await expect
      .poll(async () => (await page.locator(".where-problem").textContent()) ?? "")
      .toContain("nothing_of_the_kind");
    expect(await param(page, "where")).toBe("lr > 0.05");
    await close();
  });

  it("are selected, hidden and shown again by keys", async () => {
    const { page, close } = await open({});
    await rows(page).first().waitFor();
    const grid = page.getByRole("grid", { name: "Runs" });
    await grid.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(" ");
    const id = await param(page, "selected");
    expect(stage.runs.map((run) => run.id)).toContain(id);
    await page.keyboard.press("h");
    const hidden = async (): Promise<boolean> => (await stage.api<Run>(`runs/${id}`)).hidden;
    await expect.poll(hidden).toBe(true);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(hidden).toBe(false);
    await close();
  });

  it("get names, tags and notes in place", async () => {
    const { page, close } = await open({});
    await rows(page).first().waitFor();
    await page.getByRole("grid", { name: "Runs" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("n");
    await page.locator(".run-edit").waitFor();
    await page.keyboard.type("<b>a note</b>");
    await page.keyboard.press("Enter");
    await page.locator(".runs-done", { hasText: "note" }).waitFor();
    await expect
      .poll(
        async () =>
          (await stage.api<RunList>("runs?limit=1000")).runs.filter((run) => run.note === "<b>a note</b>")
            .length,
      )
      .toBe(1);
    await expect.poll(() => page.locator(".runs-grid b").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(
        async () =>
          (await stage.api<RunList>("runs?limit=1000")).runs.filter((run) => run.note === "<b>a note</b>")
            .length,
      )
      .toBe(0);
    await close();
  });
});

describe.skipIf(skipped !== null)("a run", () => {
  it("has its settings and last values", async () => {
    const run = await stage.api<Run>(`runs/${stage.runs[0]?.id}`);
    const { page, problems, close } = await open({ run: run.id });
    await page.getByRole("grid", { name: "Last values" }).locator(".t-body [role=row]").first().waitFor();
    const settings = await page
      .getByRole("grid", { name: "Settings" })
      .locator(".t-body [role=row]")
      .evaluateAll((list) => list.map((row) => [...row.children].map((cell) => cell.textContent)));
    expect(settings).toEqual(Object.entries(run.config).map(([name, value]) => [name, String(value)]));
    const last = await page
      .getByRole("grid", { name: "Last values" })
      .locator(".t-body [role=row]")
      .evaluateAll((list) => list.map((row) => [row.children[0]?.textContent, row.children[1]?.textContent]));
    expect(last.toSorted()).toEqual(
      Object.entries(run.metrics)
        .map(([tag, metric]) => [tag, shortNumber(numberOf(metric.last))])
        .toSorted(),
    );
    expect(problems).toEqual([]);
    await close();
  });

  it("is compared with others: what differs first", async () => {
    const ids = stage.runs.slice(0, 2).map((run) => run.id);
    const { page, close } = await open({ runs: ids.join(",") });
    const [a, b] = await Promise.all(ids.map((id) => stage.api<Run>(`runs/${id}`)));
    const first = await page
      .getByRole("grid", { name: "Settings" })
      .locator(".t-body [role=row]")
      .first()
      .evaluate((row) => [...row.children].map((cell) => cell.textContent));
    const name = first[0] as string;
    expect(a?.config[name]).not.toEqual(b?.config[name]);
    expect(await sentence(page)).toContain("differ");
    await close();
  });
});

describe.skipIf(skipped !== null)("curves", () => {
  it("are drawn of every tag and run, with every point", async () => {
    const { page, problems, close } = await open({ view: "curves" });
    await chart(page, "train/loss").waitFor();
    await expect.poll(() => linesOf(page, "train/loss")).toBe(stage.runs.length);
    const whole = await stage.api<Run>(`runs/${stage.runs[0]?.id}`);
    const points = Number(await chart(page, "train/loss").getAttribute("data-points"));
    expect(points).toBeGreaterThanOrEqual((whole.metrics["train/loss"]?.points ?? 0) * stage.runs.length);
    expect(await sentence(page)).toContain(String(stage.tags.length));
    expect(problems).toEqual([]);
    await close();
  });

  it("say at the crosshair what the API has there, smoothed and raw", async () => {
    const id = stage.runs[0]?.id as string;
    const { page, close } = await open({ run: id, view: "curves", q: "^train/loss$" });
    await expect.poll(() => linesOf(page, "train/loss")).toBe(1);
    await chart(page, "train/loss").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".curve-tip").waitFor();
    const told = ((await page.locator(".curve-tip-head").textContent()) ?? "").replace(/,/g, "");
    const step = Number(/step (\d+)/.exec(told)?.[1]);
    const values = await page.locator(".curve-tip td.num").allTextContents();
    const response = await fetch(new URL("api/v1/series/points", stage.url), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        x: "step",
        from: null,
        to: null,
        width: 20_000,
        smoothing: 0.6,
        hide_overwritten: true,
        charts: [{ tag: "train/loss", runs: [id] }],
      }),
    });
    const [line] = decodePoints(await response.arrayBuffer());
    const at = line?.step.indexOf(step) ?? -1;
    expect(at).toBeGreaterThanOrEqual(0);
    expect(values.slice(0, 2)).toEqual([shortNumber(line?.smoothed[at]), shortNumber(line?.y[at])]);
    await close();
  });

  it("zoom by keys and by dragging; the address keeps it, a double click shows all", async () => {
    const { page, close } = await open({ view: "curves" });
    await expect.poll(() => linesOf(page, "train/loss")).toBe(stage.runs.length);
    const figure = chart(page, "train/loss");
    await figure.focus();
    await page.keyboard.press("+");
    await expect.poll(() => param(page, "zoom")).not.toBeNull();
    await page.keyboard.press("0");
    await expect.poll(() => param(page, "zoom")).toBeNull();
    const box = await figure.boundingBox();
    if (box === null) throw new Error("the chart is not there");
    await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => param(page, "zoom")).not.toBeNull();
    const zoom = await param(page, "zoom");
    await page.reload();
    await expect.poll(() => linesOf(page, "train/loss")).toBe(stage.runs.length);
    expect(await param(page, "zoom")).toBe(zoom);
    await chart(page, "train/loss").dblclick();
    await expect.poll(() => param(page, "zoom")).toBeNull();
    await close();
  });

  it("are searched by an expression, switched off by run, grouped and joined", async () => {
    const { page, close } = await open({ view: "curves" });
    await expect.poll(() => linesOf(page, "train/loss")).toBe(stage.runs.length);
    await page.getByRole("searchbox", { name: "Search tags by a regular expression" }).fill("^val/");
    await expect.poll(() => page.getByRole("heading", { name: "train/loss", exact: true }).count()).toBe(0);
    await expect.poll(() => linesOf(page, "val/loss")).toBe(stage.runs.length);
    await page.locator(".legend-toggle").first().click();
    await expect.poll(() => linesOf(page, "val/loss")).toBe(stage.runs.length - 1);
    await page.getByRole("combobox", { name: "Group runs" }).selectOption("all");
    await expect.poll(() => linesOf(page, "val/loss")).toBe(1);
    await page.getByRole("button", { name: "Chart of …" }).click();
    await page.getByPlaceholder("train/loss, val/*").fill("train/loss, val/loss");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect.poll(() => linesOf(page, "train/loss + val/loss")).toBe(2);
    await close();
  });

  it("are given as a file with every point that is shown", async () => {
    const id = stage.runs[0]?.id as string;
    const { page, close } = await open({ run: id, view: "curves", q: "^train/loss$" });
    await expect.poll(() => linesOf(page, "train/loss")).toBe(1);
    await page.getByRole("button", { name: "Download train/loss" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^CSV/ }).click(),
    ]);
    const text = readFileSync((await download.path()) as string, "utf8");
    const total = Number(await chart(page, "train/loss").getAttribute("data-points"));
    expect(text.trim().split("\n").length - 1).toBeGreaterThanOrEqual(Math.min(total, 300));
    expect(text.split("\r\n")[0]).toBe("run,tag,step,wall_time,x,value,smoothed");
    await close();
  });

  it("go on by themselves as points are logged", async () => {
    const { page, close } = await open({ view: "curves" });
    await expect.poll(() => linesOf(page, "train/loss")).toBe(stage.runs.length);
    const points = async (): Promise<number> =>
      Number(await chart(page, "train/loss").getAttribute("data-points"));
    const before = await points();
    stage.grow();
    await expect.poll(points, { timeout: 20_000 }).toBeGreaterThan(before);
    await close();
  });
});

describe.skipIf(skipped !== null)("text that was logged", () => {
  it("is text: known marks are shown, markup is not", async () => {
    const { page, problems, close } = await open({ view: "media", run: stage.runs[0]?.id as string });
    await page.locator(".md").first().waitFor();
    expect(await page.locator(".md script, .md b, .md img, .md iframe").count()).toBe(0);
    expect(await page.locator(".md .md-heading").count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await close();
  });
});
