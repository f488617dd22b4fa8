// SPDX-License-Identifier: Apache-2.0
// The page that compares two profiles: of every unit, of a pair that somebody chose and that the address holds.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProfileList } from "../src/api/types";
import { exactly, launch, param, readTable, type Served, sentence, serve, skipped } from "./harness";
import { makeProfiles } from "./make_profiles";

let browser: Browser;
let served: Served;
let folder: string;
let ids: ReadonlyMap<string, string>; // name of the file → id

const collapsed = (backward: number): string => `main;train;forward 120\nmain;train;backward ${backward}\n`;
const heap = (bytes: number): string =>
  JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    shared: { frames: [{ name: "load" }, { name: "train" }] },
    profiles: [
      {
        type: "sampled",
        name: "heap",
        unit: "bytes",
        startValue: 0,
        endValue: bytes + 4096,
        samples: [[0], [1]],
        weights: [bytes, 4096],
      },
    ],
  });

beforeAll(async () => {
  if (skipped !== null) return;
  folder = mkdtempSync(join(tmpdir(), "telltale-compare-"));
  makeProfiles(folder);
  const put = (name: string, text: string): void => {
    mkdirSync(join(folder, "series"), { recursive: true });
    writeFileSync(join(folder, "series", name), text);
  };
  put("run1.collapsed.txt", collapsed(240));
  put("run2.collapsed.txt", collapsed(300));
  put("heap1.speedscope.json", heap(1 << 20));
  put("heap2.speedscope.json", heap(3 << 20));
  served = await serve(folder);
  const list = (await (await fetch(new URL("api/v1/profiles", served.url))).json()) as ProfileList;
  ids = new Map(list.profiles.map((p) => [(p.paths[0] ?? "").replace(/.*\//, ""), p.id]));
  browser = await launch();
});
afterAll(async () => {
  if (skipped !== null) return;
  await browser.close();
  served.stop();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = (file: string): string => ids.get(file) ?? file;

async function visit(params: Readonly<Record<string, string>>): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 1000 } })).newPage();
  const address = new URL(served.url);
  address.search = new URLSearchParams({ view: "compare", ...params }).toString();
  await page.goto(address.href);
  await page.locator(".sentence:not([aria-busy])").first().waitFor();
  return page;
}
const compared = (before: string, after: string): Promise<Page> =>
  visit({ profile: idOf(before), before: idOf(before), after: idOf(after) });

describe.skipIf(skipped !== null)("a comparison", () => {
  it("of samples shows samples", async () => {
    const page = await compared("run1.collapsed.txt", "run2.collapsed.txt");
    const row = (await readTable(page, "Functions")).find((r) => r.name?.text === "backward");
    expect([row?.before?.title, row?.after?.title, row?.change?.text]).toEqual(["240", "300", "+60"]);
    await page.context().close();
  });

  it("of memory shows bytes", async () => {
    const page = await compared("heap1.speedscope.json", "heap2.speedscope.json");
    const row = (await readTable(page, "Functions")).find((r) => r.name?.text === "load");
    expect(row?.before_bytes?.title).toBe(exactly("bytes", 1 << 20));
    expect(row?.after_bytes?.title).toBe(exactly("bytes", 3 << 20));
    await page.context().close();
  });

  it("has a picture of what changed, the largest effect first", async () => {
    const page = await compared("before.json", "after.json");
    const picture = page.getByRole("application", { name: /^Step: what changed/ });
    await picture.waitFor();
    await picture.focus();
    await picture.press("ArrowDown");
    await expect
      .poll(() => picture.locator("[aria-live]").textContent())
      .toMatch(/^dataloader, -[\d.]+ ms · /);
    await page.context().close();
  });
});

describe.skipIf(skipped !== null)("the pair", () => {
  it("is nobody's guess: the page asks, and offers only what is of the same series", async () => {
    const lone = await visit({ profile: idOf("before.json") });
    expect(await sentence(lone)).toContain("to be compared with");
    expect(await lone.locator(".compare-offers").count()).toBe(0);
    await lone.context().close();
    const page = await visit({ profile: idOf("run1.collapsed.txt") });
    const offers = await page.locator(".compare-offers a").allTextContents();
    expect(offers).toEqual([expect.stringMatching(/series\/run2\.collapsed\.txt$/)]);
    await page.locator(".compare-offers a").click();
    await page.getByRole("grid", { name: "Functions" }).waitFor();
    expect(await param(page, "before")).toBe(idOf("run1.collapsed.txt"));
    expect(await param(page, "after")).toBe(idOf("run2.collapsed.txt"));
    await page.context().close();
  });

  it("is found by typing, stands in the address, and comes back with Back and reload", async () => {
    const page = await visit({ profile: idOf("before.json") });
    const after = page.getByRole("combobox", { name: "After" });
    await after.click();
    expect(await page.getByRole("option").count()).toBe(ids.size - 1);
    await after.fill("after");
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
    await after.press("ArrowDown");
    await after.press("Enter");
    await page.getByRole("grid", { name: "Step" }).waitFor();
    expect([await param(page, "before"), await param(page, "after")]).toEqual([
      idOf("before.json"),
      idOf("after.json"),
    ]);
    const answer = await sentence(page);
    await page.getByRole("button", { name: "Swap" }).click();
    await expect.poll(() => param(page, "before")).toBe(idOf("after.json"));
    await page.goBack();
    await expect.poll(() => param(page, "before")).toBe(idOf("before.json"));
    await page.reload();
    await page.locator(".sentence:not([aria-busy])").first().waitFor();
    expect(await sentence(page)).toBe(answer);
    await page.goBack();
    await expect.poll(() => sentence(page)).toContain("to be compared with");
    await page.context().close();
  });

  it("is left as it was by Escape", async () => {
    const page = await compared("before.json", "after.json");
    const before = page.getByRole("combobox", { name: "Before" });
    const shown = await before.inputValue();
    await before.fill("heap");
    await before.press("Escape");
    await expect.poll(() => before.inputValue()).toBe(shown);
    expect(await param(page, "before")).toBe(idOf("before.json"));
    await page.context().close();
  });
});
