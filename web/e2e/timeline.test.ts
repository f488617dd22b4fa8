// SPDX-License-Identifier: Apache-2.0
// The timeline of a training and of a trace with hostile names, drawn and used in a browser; and what stands in its
// place where there is none.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, type Stage, setStage, skipped } from "./harness";
import { checkTimeline } from "./timeline";

let stage: Stage;
beforeAll(async () => {
  if (skipped === null) stage = await setStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

describe.skipIf(skipped !== null)("the timeline", () => {
  it("draws a training as the API has it, and is used by mouse and keyboard", async () => {
    expect(await checkTimeline(stage.url, stage.ids.before)).toEqual([]);
  }, 240_000);
  it("shows hostile names as text", async () => {
    const { page, problems, close } = await open(stage, { profile: stage.ids.hostile, view: "timeline" });
    await page.waitForSelector(".tl-canvas canvas");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".tl-panel .key-value");
    expect(await page.locator(".tl-panel script, .tl-panel img").count()).toBe(0);
    expect(problems).toEqual([]);
    await close();
  });
  it("says that a profile of functions has none, and leads to the functions", async () => {
    const { page, close } = await open(stage, { profile: stage.ids.functions, view: "timeline" });
    await page.getByText("has no timeline").waitFor();
    await page.getByRole("link", { name: "Open Functions" }).click();
    expect(new URL(page.url()).searchParams.get("view")).toBe("functions");
    await close();
  });
});
