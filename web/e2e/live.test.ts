// SPDX-License-Identifier: Apache-2.0
// Files that change and go while they are looked at: the page says so, and shows what is true.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StepRow } from "../src/api/generated";
import type { ProfileList } from "../src/api/types";
import { cli, exactly, launch, param, readTable, type Served, sentence, serve, skipped } from "./harness";
import { makeProfiles } from "./make_profiles";

let browser: Browser;
beforeAll(async () => {
  if (skipped === null) browser = await launch();
});
afterAll(async () => {
  if (skipped === null) await browser.close();
});

let folder: string;
let files: ReturnType<typeof makeProfiles>;
let served: Served;
let page: Page;

beforeEach(async () => {
  if (skipped !== null) return;
  folder = mkdtempSync(join(tmpdir(), "telltale-live-"));
  files = makeProfiles(folder);
  served = await serve(folder);
  page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
});
afterEach(async () => {
  if (skipped !== null) return;
  await page.context().close();
  served.stop();
  rmSync(folder, { recursive: true, force: true });
});

const LOOK_MS = 15_000; // the server looks into folders once a second

async function idOf(file: string): Promise<string> {
  const list = (await (await fetch(new URL("api/v1/profiles", served.url))).json()) as ProfileList;
  return list.profiles.find((p) => p.paths.some((path) => file.endsWith(path)))?.id ?? "";
}

async function visit(file: string, params: Readonly<Record<string, string>>): Promise<void> {
  const address = new URL(served.url);
  address.search = new URLSearchParams({ profile: await idOf(file), ...params }).toString();
  await page.goto(address.href);
  await page.locator(".sentence:not([aria-busy])").first().waitFor({ timeout: LOOK_MS });
}
const openPage = (name: string): Promise<void> =>
  page.locator("nav[aria-label=Pages] a", { hasText: name }).click();
const banner = (): Promise<number> =>
  page.locator("main [role=note]", { hasText: "Not everything could be read" }).count();
const stepTimes = async (): Promise<readonly (string | undefined)[]> =>
  (await readTable(page, "Steps")).map((row) => row.duration_ns?.title);
const timesOf = (file: string): readonly string[] =>
  cli<{ steps: { rows: readonly StepRow[] } }>("profile", file, "--view", "steps").steps.rows.map((row) =>
    exactly("time", row.duration_ns),
  );

describe.skipIf(skipped !== null)("a file that is written over", () => {
  it("is read again, said so, and every page has the new numbers", async () => {
    await visit(files.before, { view: "steps" });
    expect(await stepTimes()).toEqual(timesOf(files.before));
    for (const name of ["Overview", "Timeline", "Query", "Operators"]) {
      await openPage(name);
      await page.locator(".sentence:not([aria-busy])").first().waitFor();
    }
    await openPage("Steps");
    // In place, as one who writes it: the same file with other content.
    copyFileSync(files.after, files.before);
    await page.locator("main [role=status]", { hasText: /being written|Changed on disk/ }).waitFor();
    await expect.poll(stepTimes, { timeout: LOOK_MS }).toEqual(timesOf(files.after));
    await expect.poll(() => page.locator("main .reading").count(), { timeout: LOOK_MS }).toBe(0);
    await openPage("Overview");
    const answer = cli<{ steps: { average_ns: number } }>("profile", files.after, "--view", "steps").steps;
    await expect.poll(() => sentence(page)).toContain(`${(answer.average_ns / 1e6).toFixed(1)} ms`);
    await openPage("Timeline");
    await expect.poll(() => sentence(page)).toContain(`${(answer.average_ns / 1e6).toFixed(1)} ms`);
  });

  it("is compared anew", async () => {
    const after = await idOf(files.after);
    await visit(files.before, { view: "compare", before: await idOf(files.before), after });
    const whole = async (): Promise<string | undefined> =>
      (await readTable(page, "Step"))[0]?.after_ns?.title;
    const old = await whole();
    copyFileSync(files.before, files.after);
    await expect.poll(whole, { timeout: LOOK_MS }).not.toBe(old);
    expect(await sentence(page)).toContain("as before");
  });

  it("says what of it could not be read as long as that is so", async () => {
    await visit(files.broken, { view: "operators" });
    await expect.poll(banner).toBe(1);
    const whole = readFileSync(files.before);
    writeFileSync(files.broken, whole.subarray(0, 12_000));
    // Of what is in view, before, while and after it is read again.
    for (let look = 0; look < 40; ++look) {
      expect(await banner()).toBe(1);
      await page.waitForTimeout(100);
    }
    writeFileSync(files.broken, whole);
    await expect.poll(banner, { timeout: LOOK_MS }).toBe(0);
    writeFileSync(files.broken, whole.subarray(0, 9000));
    await expect.poll(banner, { timeout: LOOK_MS }).toBe(1);
  });
});

describe.skipIf(skipped !== null)("a file that is deleted", () => {
  it("is said to be gone; what was read of it can still be seen, on other pages, too", async () => {
    await visit(files.before, { view: "steps" });
    const times = await stepTimes();
    rmSync(files.before);
    await page.locator("main [role=status]", { hasText: "This file is gone" }).waitFor({ timeout: LOOK_MS });
    expect(await stepTimes()).toEqual(times);
    await openPage("Kernels");
    expect((await readTable(page, "kernels")).length).toBeGreaterThan(0);
    await page.locator("main [role=status]", { hasText: "This file is gone" }).waitFor();
  });

  it("is what stays in view, also where nobody chose it", async () => {
    await page.goto(served.url);
    await page.locator(".sentence:not([aria-busy])").first().waitFor({ timeout: LOOK_MS });
    await expect.poll(() => param(page, "profile")).not.toBeNull();
    const shown = await param(page, "profile");
    const answer = await sentence(page);
    rmSync(files.after); // the first of the list
    await page.locator("main [role=status]", { hasText: "This file is gone" }).waitFor({ timeout: LOOK_MS });
    expect([await param(page, "profile"), await sentence(page)]).toEqual([shown, answer]);
  });
});
