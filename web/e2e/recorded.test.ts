// SPDX-License-Identifier: Apache-2.0
// The pages of recorded runs in a browser: one axis of time, hardware, logs, and what is under way. What they show is what
// the API says, and what one does there is in the address.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hardware, LogLines, RunStory } from "../src/api/runs";
import { LEFT, RIGHT } from "../src/lib/runs/time_axis";
import { open as openPage, param, readTable, sentence, skipped } from "./harness";
import { lineOf, RECORDED_START } from "./make_recorded";
import { LONG_LINES, type RecordedStage, setRecordedStage } from "./recorded_stage";

let stage: RecordedStage;
beforeAll(async () => {
  if (skipped === null) stage = await setRecordedStage(LONG_LINES);
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const open = (params: Readonly<Record<string, string>>) => openPage(stage, params);
const DRIVER = "logs/driver.log";
const row = (page: Page, line: number) => page.locator(`.log-row[data-line="${line}"]`);
const linesShown = async (page: Page): Promise<number> =>
  Number(await page.locator(".log").getAttribute("data-lines"));

describe.skipIf(skipped !== null)("runs that were recorded", () => {
  it("are called as their run.json calls them, with the folder beside it", async () => {
    const { page, close } = await open({});
    const name = page.locator(".runs-name", { hasText: "VAE on faces" });
    await name.waitFor();
    expect(await name.locator(".runs-folder").textContent()).toMatch(/vae$/);
    await close();
    const { page: own, close: leave } = await open({ run: stage.ids.done });
    expect(await own.locator("h1").textContent()).toContain("VAE on faces");
    await leave();
  });
});

describe.skipIf(skipped !== null)("a run over time", () => {
  it("has the server's sentence, and every lane with its points", async () => {
    const { page, problems, close } = await open({ run: stage.ids.done });
    const story = await stage.api<RunStory>(`runs/${stage.ids.done}/story`);
    expect(await sentence(page)).toBe(story.sentence);
    expect(story.sentence).toMatch(/^Ran 5 min .* 1,200 steps, .* a step, \d+ % of it waiting for data; CPU/);
    await expect.poll(() => page.locator(".lane-canvas").count()).toBe(story.lanes.length + 1);
    for (let i = 0; i < story.lanes.length; ++i)
      await expect
        .poll(async () =>
          Number(await page.locator("canvas[data-points]").nth(i).getAttribute("data-points")),
        )
        .toBeGreaterThan(1);
    await expect.poll(() => page.locator("canvas[data-lines]").getAttribute("data-lines")).toBe("1200");
    await expect
      .poll(() => page.locator(".story-event").allTextContents())
      .toEqual(["▸Started", "■Completed"]);
    expect(problems).toEqual([]);
    await close();
  });

  it("a click leads to that moment in the log, and Back returns", async () => {
    const { page, close } = await open({ run: stage.ids.done });
    const story = await stage.api<RunStory>(`runs/${stage.ids.done}/story`);
    const canvas = page.locator("canvas[data-points]").first();
    await canvas.waitFor();
    const box = (await canvas.boundingBox()) as { x: number; y: number; width: number; height: number };
    await page.mouse.click(box.x + LEFT + (box.width - LEFT - RIGHT) / 2, box.y + 20);
    await expect.poll(() => param(page, "view")).toBe("logs");
    const middle = (Number(story.from_ns) + Number(story.to_ns)) / 2e6;
    expect(Math.abs(Number(await param(page, "t")) - middle)).toBeLessThan(1000);
    await expect.poll(() => param(page, "line")).not.toBeNull();
    const line = Number(await param(page, "line"));
    const { rows } = await stage.api<LogLines>(
      `runs/${stage.ids.done}/log?path=${DRIVER}&from=${line}&limit=1`,
    );
    expect(Number(rows[0]?.time_ns) / 1e6).toBeGreaterThanOrEqual(Number(await param(page, "t")) - 1);
    await row(page, line).waitFor();
    expect(await row(page, line).getAttribute("class")).toContain("log-selected");
    await page.goBack();
    await page.locator("canvas[data-points]").first().waitFor();
    await close();
  });

  it("a brush zooms all lanes, the address has it, and all is shown again", async () => {
    const { page, close } = await open({ run: stage.ids.done });
    const canvas = page.locator("canvas[data-points]").first();
    await expect.poll(async () => Number(await canvas.getAttribute("data-points"))).toBeGreaterThan(1000);
    const box = (await canvas.boundingBox()) as { x: number; y: number; width: number; height: number };
    const inner = box.width - LEFT - RIGHT;
    await page.mouse.move(box.x + LEFT + inner * 0.25, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + LEFT + inner * 0.5, box.y + 30, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => param(page, "time")).toMatch(/^\d+-\d+$/);
    await expect.poll(async () => Number(await canvas.getAttribute("data-points"))).toBeLessThan(500);
    await page.reload();
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => param(page, "time")).toBeNull();
    await close();
  });

  it("a time that is chosen shows the functions that ran then, and the log", async () => {
    const second = (n: number): number => (RECORDED_START + n) * 1000;
    const { page, problems, close } = await open({
      run: stage.ids.done,
      time: `${second(30)}-${second(60)}`,
    });
    const functions = page.locator(".panel", { hasText: "Functions in this time" });
    await expect.poll(() => functions.textContent()).toContain("load_batch (train.py:10) itself");
    expect(await functions.textContent()).toContain("20:45:31");
    const summary = () => functions.locator("[aria-label*='Call tree below everything']").first();
    await summary().waitFor();
    const log = page.locator(".chosen-log li");
    await expect.poll(() => log.count()).toBe(12);
    const times = await page
      .locator(".chosen-log a")
      .evaluateAll((all) => all.map((one) => one.getAttribute("title") ?? ""));
    expect(times.every((text) => text >= "2026-11-15 20:45:31" && text < "2026-11-15 20:46:01")).toBe(true);
    // Another time, another answer; Back and a reload have the same.
    await page.locator(".lanes").focus();
    await page.keyboard.press("0");
    await expect.poll(() => functions.count()).toBe(0);
    await page.goto(page.url().replace(/$/, `&time=${second(150)}-${second(180)}`));
    await expect.poll(() => functions.textContent()).toContain("train_step (train.py:20) itself");
    await functions.getByRole("link", { name: "All threads" }).click();
    await expect.poll(() => param(page, "view")).toBe("functions");
    expect(await param(page, "between")).toContain("2026-11-15T20:47:31");
    await expect.poll(() => sentence(page)).toMatch(/^Between 20:47:31 and 20:48:01 on 2026-11-15 \(UTC\)/);
    await page.getByRole("link", { name: "Show all of it" }).click();
    await expect.poll(() => sentence(page)).toMatch(/^The profiled code ran for 240/);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => functions.textContent()).toContain("train_step (train.py:20) itself");
    expect(problems).toEqual([]);
    await close();
  });

  it("keys move the crosshair, which is the same moment in every lane, and open the log", async () => {
    const { page, close } = await open({ run: stage.ids.done });
    await expect
      .poll(async () => Number(await page.locator("canvas[data-points]").first().getAttribute("data-points")))
      .toBeGreaterThan(1000);
    await page.locator(".lanes").focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
    await page.locator(".lanes-cross").waitFor();
    const readings = await page.locator(".lane-reading b").allTextContents();
    expect(readings.length).toBeGreaterThan(5);
    expect(readings.every((text) => text !== "–")).toBe(true);
    await page.keyboard.press("+");
    await expect.poll(() => param(page, "time")).not.toBeNull();
    await page.keyboard.press("0");
    await expect.poll(() => param(page, "time")).toBeNull();
    await page.keyboard.press("Enter");
    await expect.poll(() => param(page, "view")).toBe("logs");
    await close();
  });

  it("of a run that failed says why, as text", async () => {
    const { page, problems, close } = await open({ run: stage.ids.failed });
    expect(await sentence(page)).toMatch(/^Failed after .*exit code 1.*ValueError: Expected input/);
    await page.locator(".run-error li", { hasText: "train.py:61 main" }).waitFor();
    expect(await page.locator(".story-error").count()).toBe(1);
    expect(problems).toEqual([]);
    await close();
  });

  it("of another tool's folder shows what there is", async () => {
    const { page, problems, close } = await open({ run: stage.ids.foreign });
    expect(await sentence(page)).toContain("loss was");
    await expect.poll(() => page.locator(".lane-canvas").count()).toBe(2);
    expect(problems).toEqual([]);
    await close();
  });
});

describe.skipIf(skipped !== null)("hardware", () => {
  it("has mean and largest values as the API has them, and the energy", async () => {
    const { page, problems, close } = await open({ run: stage.ids.done, view: "hardware" });
    const hardware = await stage.api<Hardware>(`runs/${stage.ids.done}/hardware`);
    expect(await sentence(page)).toBe(hardware.sentence);
    const rows = await readTable(page, "Mean and largest");
    const first = hardware.rows[0] as Hardware["rows"][number];
    expect(rows[0]?.device?.text).toBe(first.device);
    expect(Number(rows[0]?.mean?.text)).toBeCloseTo(first.mean as number, 1);
    expect(rows[0]?.unit?.text).toBe("%");
    expect(await page.locator(".hardware-total").textContent()).toMatch(/^25\.\d Wh$/);
    await expect.poll(() => page.locator(".lane-canvas").count()).toBe(hardware.charts.length);
    expect(problems).toEqual([]);
    await close();
  });

  it("says what would measure where nothing was", async () => {
    const { page, close } = await open({ run: stage.ids.foreign, view: "hardware" });
    expect(await sentence(page)).toContain("No hardware was measured");
    await close();
  });
});

describe.skipIf(skipped !== null)("logs", () => {
  it("show lines with times, colours and levels, and never markup", async () => {
    const { page, problems, close } = await open({ run: stage.ids.done, view: "logs", line: "701" });
    await row(page, 701).waitFor();
    expect(await sentence(page)).toMatch(/^1,200 lines over 5 min/);
    await expect
      .poll(() => row(page, 701).locator(".log-text").textContent())
      .toContain("WARNING dataloader");
    expect(await row(page, 701).locator(".ansi-3").textContent()).toBe("WARNING");
    expect(await row(page, 701).getAttribute("class")).toContain("log-warning");
    await expect
      .poll(() => row(page, 701).locator(".log-text").textContent())
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken away
      .toBe(lineOf(700).replace(/\u001b\[[0-9;]*m/g, ""));
    await page.keyboard.press("Escape");
    const { page: markup, close: closeMarkup } = await open({
      run: stage.ids.done,
      view: "logs",
      line: "601",
    });
    await expect.poll(() => row(markup, 601).locator(".log-text").textContent()).toContain("<b>not bold</b>");
    expect(await markup.locator(".log b").count()).toBe(0);
    await closeMarkup();
    expect(problems).toEqual([]);
    await close();
  });

  it("of a million lines open at the end, at any line and at any time, and stay small", async () => {
    const { page, problems, close } = await open({ run: stage.ids.long, view: "logs" });
    await row(page, LONG_LINES).waitFor();
    expect(await linesShown(page)).toBe(LONG_LINES);
    expect(await page.locator(".log-row").count()).toBeLessThan(150);
    await page.locator(".log").evaluate((log) => {
      log.scrollTop = log.scrollHeight / 2;
    });
    const first = async (): Promise<number> => Number(await page.locator(".log").getAttribute("data-first"));
    await expect.poll(first).toBeGreaterThan(LONG_LINES * 0.49);
    expect(await first()).toBeLessThan(LONG_LINES * 0.51);
    const at = await first();
    await expect
      .poll(() =>
        row(page, at + 5)
          .locator(".log-text")
          .textContent(),
      )
      .toContain(`step ${at + 4}:`);
    // A turn of the wheel moves by lines, not by thousands of them.
    await page.locator(".log").hover();
    await page.mouse.wheel(0, 200);
    await expect.poll(first).toBe(at + 10);
    await page
      .getByRole("textbox", { name: "Go to a time" })
      .fill(
        `${new Date((RECORDED_START + 7200 + 1000) * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`,
      );
    await page.keyboard.press("Enter");
    await expect.poll(() => param(page, "line")).toBe("250001");
    await row(page, 250_001).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("are searched on the server, next and previous, and say what is wrong", async () => {
    const { page, problems, close } = await open({ run: stage.ids.long, view: "logs", line: "1" });
    await row(page, 1).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await expect.poll(() => param(page, "line")).toBe("77778");
    await row(page, 77_778).waitFor();
    await expect.poll(() => page.locator(".log-count").textContent()).toBe("1 of 10 lines");
    expect(await row(page, 77_778).locator("mark").textContent()).toBe("needle");
    await page.getByRole("searchbox", { name: "Search the log" }).press("Enter");
    await expect.poll(() => param(page, "line")).toBe("177778");
    await page.getByRole("searchbox", { name: "Search the log" }).press("Shift+Enter");
    await expect.poll(() => param(page, "line")).toBe("77778");
    await page.getByRole("button", { name: "Previous match" }).click();
    await expect.poll(() => param(page, "line")).toBe("977778");
    await page.getByRole("searchbox", { name: "Search the log" }).fill("(");
    await page.getByRole("button", { name: ".*" }).click();
    await expect.poll(() => page.locator(".log-wrong").count()).toBe(1);
    expect(problems.filter((text) => !text.includes("400"))).toEqual([]);
    await close();
  });

  it("of another tool have no times; long lines, bars and bad bytes are shown", async () => {
    const { page, problems, close } = await open({ run: stage.ids.foreign, view: "logs" });
    await row(page, 304).waitFor();
    expect(await sentence(page)).toBe("304 lines, none with a time.");
    await expect.poll(() => row(page, 302).locator(".log-text").textContent()).toContain("100%|");
    expect(await row(page, 301).locator(".log-text").textContent()).toContain("\ufffd\ufffd bad");
    await row(page, 303).locator(".log-text").click();
    await expect.poll(async () => (await page.locator(".log-chosen pre").textContent())?.length).toBe(20_000);
    expect(problems).toEqual([]);
    await close();
  });

  it("have one for each rank", async () => {
    const { page, close } = await open({ run: stage.ids.failed, view: "logs" });
    await row(page, 306).waitFor();
    await page.getByRole("combobox", { name: "Log" }).selectOption("logs/rank-1.log");
    await row(page, 50).waitFor();
    await expect.poll(() => row(page, 50).locator(".log-text").textContent()).toBe("rank 1 line 49");
    expect(await param(page, "path")).toBe("logs/rank-1.log");
    await close();
  });
});

describe.skipIf(skipped !== null)("a run under way", () => {
  it("is followed by events: progress in the table, new lines in the log, nothing is asked again and again", async () => {
    const { page, problems, close } = await open({});
    const bar = page.locator(".run-progress").first();
    await bar.waitFor();
    const before = stage.recorded.live.steps();
    await expect
      .poll(() => bar.getAttribute("title"))
      .toContain(`${before} of ${stage.recorded.total} steps`);
    expect(await bar.textContent()).toMatch(/% ?\d.* steps\/s, .* left/);
    expect(await page.locator(".run-dot.run-Running").count()).toBe(1);

    const log = await open({ run: stage.ids.live, view: "logs" });
    await expect.poll(() => linesShown(log.page)).toBe(before);
    let asked = 0;
    log.page.on("request", (request) => {
      if (/\/log\?/.test(request.url())) asked += 1;
    });
    await log.page.waitForTimeout(2500);
    expect(asked).toBe(0); // nothing changed
    stage.recorded.live.go(20);
    await expect.poll(() => linesShown(log.page)).toBe(before + 20);
    await row(log.page, before + 20).waitFor();
    await expect.poll(() => bar.getAttribute("title")).toContain(`${before + 20} of`);

    // Who looks at an earlier line stays there.
    await log.page.locator(".log").hover();
    await log.page.mouse.wheel(0, -400);
    await expect.poll(() => param(log.page, "follow")).toBe("0");
    const first = await log.page.locator(".log").getAttribute("data-first");
    stage.recorded.live.go(10);
    await expect.poll(() => linesShown(log.page)).toBe(before + 30);
    expect(await log.page.locator(".log").getAttribute("data-first")).toBe(first);
    expect(problems).toEqual([]);
    expect(log.problems).toEqual([]);
    await log.close();
    await close();
  });

  it("grows on its own page", async () => {
    const { page, close } = await open({ run: stage.ids.live });
    const canvas = page.locator("canvas[data-points]").first();
    await canvas.waitFor();
    expect(await sentence(page)).toMatch(/^Running for/);
    const before = stage.recorded.live.steps();
    stage.recorded.live.go(20);
    await expect.poll(() => sentence(page)).toContain(`${before + 20} of ${stage.recorded.total} steps`);
    await expect
      .poll(async () => Number(await canvas.getAttribute("data-points")))
      .toBeGreaterThanOrEqual(before + 20);
    await close();
  });
});
