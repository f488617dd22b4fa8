// SPDX-License-Identifier: Apache-2.0
// The tests that every page has to pass: axe-core finds nothing, light and dark, and nothing is wider than the window.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { open, type Place } from "./harness";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RUN = "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })";
const MOST_NODES = 5; // of one kind of violation
const SETTLED_MS = 1200; // charts are drawn
const LAID_OUT_MS = 500;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

export interface LookedAt {
  readonly name: string;
  readonly params: () => Readonly<Record<string, string>>; // of its address; asked when the stage is set
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate(RUN)) as AxeResult;
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, MOST_NODES).map((node) => `${id}: ${node.html} ${node.failureSummary ?? ""}`),
  );
}

const sticksOut = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const main = document.querySelector("main") as HTMLElement;
    return document.documentElement.scrollWidth > innerWidth || main.scrollWidth > main.clientWidth;
  });

export function testAccess(skipped: string | null, stage: () => Place, pages: readonly LookedAt[]): void {
  const named = pages.map(({ name, params }) => [name, params] as const);
  describe.skipIf(skipped !== null)("axe", () => {
    for (const theme of ["light", "dark"]) {
      it.each(named)(`finds nothing on %s, ${theme}`, async (_, params) => {
        // The server's policy forbids scripts from elsewhere; the test's own is one.
        const { page, problems, close } = await open(stage(), { ...params(), theme }, { bypassCSP: true });
        await page.waitForTimeout(SETTLED_MS);
        expect(await violations(page)).toEqual([]);
        expect(problems).toEqual([]);
        await close();
      });
    }

    it.each([900, 1280, 2560])("%i px wide: nothing sticks out", async (width) => {
      for (const { name, params } of pages) {
        const { page, close } = await open(stage(), params(), { viewport: { width, height: 900 } });
        await page.waitForTimeout(LAID_OUT_MS);
        expect(await sticksOut(page), name).toBe(false);
        await close();
      }
    });
  });
}
