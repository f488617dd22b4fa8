// SPDX-License-Identifier: Apache-2.0
// axe-core on the pages of analyses, light and dark, and no page wider than the window.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnalysesStage, type Fixture, setAnalysesStage } from "./analyses_stage";
import { open, type Stage, skipped } from "./harness";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RUN = "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })";

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

const PAGES: readonly (readonly [Fixture, string, Readonly<Record<string, string>>])[] = [
  ["prof", "functions", {}],
  ["prof", "functions", { shape: "sandwich" }],
  ["memory", "memory", { from: "2000000", to: "4000000" }],
  ["layers", "modules", {}],
  ["ranks", "distributed", {}],
  ["steps", "causes", {}],
  ["host", "causes", {}],
  ["steps", "idle", {}],
  ["steps", "critical_path", {}],
  ["layers", "roofline", {}],
  ["steps", "modules", {}],
];

let stage: AnalysesStage;
beforeAll(async () => {
  if (skipped === null) stage = await setAnalysesStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

describe.skipIf(skipped !== null)("axe", () => {
  for (const theme of ["light", "dark"]) {
    it.each(PAGES)(`%s, %s: nothing found, ${theme}`, async (fixture, view, more) => {
      const params = { profile: stage.id(fixture), view, theme, ...more };
      const { page, close } = await open(stage as unknown as Stage, params, { bypassCSP: true });
      await page.waitForTimeout(900);
      await page.evaluate(axe);
      const found = (await page.evaluate(RUN)) as AxeResult;
      const list = found.violations.map(
        (v) => `${v.id}: ${v.nodes[0]?.html} ${v.nodes[0]?.failureSummary ?? ""}`,
      );
      expect(list).toEqual([]);
      await close();
    });
  }

  it.each([900, 2560])("%i px wide: nothing sticks out", async (width) => {
    for (const [fixture, view, more] of PAGES) {
      const { page, close } = await open(
        stage as unknown as Stage,
        { profile: stage.id(fixture), view, ...more },
        { viewport: { width, height: 900 } },
      );
      await page.waitForTimeout(300);
      const wider = await page.evaluate(() => {
        const main = document.querySelector("main") as HTMLElement;
        return document.documentElement.scrollWidth > innerWidth || main.scrollWidth > main.clientWidth;
      });
      expect(wider, `${view} at ${width}`).toBe(false);
      await close();
    }
  });
});
