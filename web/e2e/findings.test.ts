// SPDX-License-Identifier: Apache-2.0
// What to try, at the end of a page or beside what it is about, is what the command line says about that view, word for word.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Recommendation } from "../src/api/report";
import { cli, open, type Stage, setStage, skipped } from "./harness";

let stage: Stage;
beforeAll(async () => {
  if (skipped === null) stage = await setStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

describe.skipIf(skipped !== null)("findings", () => {
  for (const view of ["causes", "idle", "roofline", "memory", "modules", "critical_path", "functions"]) {
    it(`of ${view}`, async () => {
      const { recommendations } = cli<{ recommendations: readonly Recommendation[] }>(
        "profile",
        stage.files.before,
        "--view",
        view,
      );
      const { page, problems, close } = await open(stage, { profile: stage.ids.before, view });
      await page.locator(".panel").first().waitFor();
      if (recommendations.length > 0) await page.locator(".advice-remedy").first().waitFor();
      const remedies = await page.locator(".advice-remedy").allTextContents();
      expect(remedies).toEqual(recommendations.map((row) => `Try ${row.remedy}`));
      for (const row of recommendations) expect(row.views).toContain(view);
      expect(problems).toEqual([]);
      await close();
    });
  }
});
