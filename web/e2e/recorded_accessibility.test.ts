// SPDX-License-Identifier: Apache-2.0
// axe-core on the pages of recorded runs, light and dark, and no page wider than the window.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, type Stage, skipped } from "./harness";
import { type RecordedStage, setRecordedStage } from "./recorded_stage";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

let stage: RecordedStage;
beforeAll(async () => {
  if (skipped === null) stage = await setRecordedStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

type Key = keyof RecordedStage["ids"];
const PAGES: readonly (readonly [string, Key | null, Readonly<Record<string, string>>])[] = [
  ["runs, one under way", null, {}],
  ["a run over time", "done", { t: "1794775687000" }],
  ["a run that failed", "failed", {}],
  ["a run of another tool", "foreign", {}],
  ["hardware", "done", { view: "hardware" }],
  ["no hardware", "foreign", { view: "hardware" }],
  ["a log", "failed", { view: "logs" }],
  ["a log with a line chosen", "done", { view: "logs", line: "701", q: "step" }],
  ["a log of another tool", "foreign", { view: "logs" }],
];
const filled = (
  run: Key | null,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => (run === null ? params : { run: stage.ids[run], ...params });

describe.skipIf(skipped !== null)("axe", () => {
  for (const theme of ["light", "dark"]) {
    it.each(PAGES)(`finds nothing on %s, ${theme}`, async (_, run, params) => {
      const { page, problems, close } = await open(
        stage as unknown as Stage,
        { ...filled(run, params), theme },
        { bypassCSP: true },
      );
      await page.waitForTimeout(1200);
      await page.evaluate(axe);
      const found = (await page.evaluate(
        "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })",
      )) as AxeResult;
      expect(
        found.violations.flatMap((v) =>
          v.nodes.slice(0, 3).map((node) => `${v.id}: ${node.html} ${node.failureSummary ?? ""}`),
        ),
      ).toEqual([]);
      expect(problems).toEqual([]);
      await close();
    });
  }

  it.each([900, 1280, 2560])("%i px wide: nothing sticks out", async (width) => {
    for (const [name, run, params] of PAGES) {
      const { page, close } = await open(stage as unknown as Stage, filled(run, params), {
        viewport: { width, height: 900 },
      });
      await page.waitForTimeout(500);
      const wider = await page.evaluate(() => {
        const main = document.querySelector("main") as HTMLElement;
        return document.documentElement.scrollWidth > innerWidth || main.scrollWidth > main.clientWidth;
      });
      expect(`${name}: ${wider}`).toBe(`${name}: false`);
      await close();
    }
  });
});
