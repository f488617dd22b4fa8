// SPDX-License-Identifier: Apache-2.0
// axe-core on every page of runs, light and dark, and no page wider than the window.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, type Stage } from "./harness";
import { type RunsStage, setRunsStage, skipped } from "./runs_stage";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

let stage: RunsStage;
beforeAll(async () => {
  if (skipped === null) stage = await setRunsStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const PAGES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["runs", { view: "overview", selected: "ID" }],
  ["run", { run: "ID" }],
  ["compare", { runs: "ID,ID2" }],
  ["files", { run: "ID", view: "files" }],
  ["curves", { view: "curves" }],
  ["curves of groups", { view: "curves", by: "all" }],
  ["distributions", { view: "distributions" }],
  ["media", { view: "media" }],
  ["hparams", { view: "hparams" }],
  ["parallel axes", { view: "hparams", view_as: "parallel" }],
  ["importance", { view: "hparams", view_as: "importance" }],
  ["graph", { view: "graph" }],
  ["PR curves", { view: "pr_curves" }],
  ["mesh", { view: "mesh" }],
  ["embeddings", { view: "embeddings" }],
  ["custom scalars", { view: "custom_scalars" }],
];
const filled = (params: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      value.replace("ID2", stage.runs[1]?.id ?? "").replace("ID", stage.runs[0]?.id ?? ""),
    ]),
  );

describe.skipIf(skipped !== null)("axe", () => {
  for (const theme of ["light", "dark"]) {
    it.each(PAGES)(`finds nothing on %s, ${theme}`, async (_, params) => {
      const { page, problems, close } = await open(
        stage as unknown as Stage,
        { ...filled(params), theme },
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
    for (const [name, params] of PAGES) {
      const { page, close } = await open(stage as unknown as Stage, filled(params), {
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
