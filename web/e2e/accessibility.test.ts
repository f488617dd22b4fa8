// SPDX-License-Identifier: Apache-2.0
// axe-core on every page of ours, light and dark, and no page wider than the window.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, type Stage, setStage, skipped } from "./harness";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

let stage: Stage;
beforeAll(async () => {
  if (skipped === null) stage = await setStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const PAGES = ["overview", "operators", "kernels", "steps", "annotations", "compare", "query", "diagnostics"];

describe.skipIf(skipped !== null)("axe", () => {
  for (const theme of ["light", "dark"]) {
    it.each(PAGES)(`finds nothing on %s, ${theme}`, async (view) => {
      const chosen: Record<string, Record<string, string>> = {
        operators: { open: "aten::mm" },
        compare: { before: stage.ids.before, after: stage.ids.after },
      };
      // The server's policy forbids scripts from elsewhere; the test's own is one.
      const { page, close } = await open(
        stage,
        { profile: stage.ids.before, view, theme, ...chosen[view] },
        { bypassCSP: true },
      );
      await page.waitForTimeout(900);
      await page.evaluate(axe);
      const found = (await page.evaluate(
        "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })",
      )) as AxeResult;
      expect(
        found.violations.flatMap((v) =>
          v.nodes.slice(0, 5).map((node) => `${v.id}: ${node.html} ${node.failureSummary ?? ""}`),
        ),
      ).toEqual([]);
      await close();
    });
  }

  it.each([900, 1280, 2560])("%i px wide: nothing sticks out", async (width) => {
    for (const view of PAGES) {
      const { page, close } = await open(
        stage,
        { profile: stage.ids.before, view },
        { viewport: { width, height: 900 } },
      );
      await page.waitForTimeout(300);
      const wider = await page.evaluate(() => {
        const main = document.querySelector("main") as HTMLElement;
        return document.documentElement.scrollWidth > innerWidth || main.scrollWidth > main.clientWidth;
      });
      expect(`${view}: ${wider}`).toBe(`${view}: false`);
      await close();
    }
  });
});
