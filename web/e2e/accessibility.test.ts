// SPDX-License-Identifier: Apache-2.0
// The pages of profiles: axe-core, and no page wider than the window.
import { afterAll, beforeAll } from "vitest";
import { testAccess } from "./axe";
import { type Stage, setStage, skipped } from "./harness";

let stage: Stage;
beforeAll(async () => {
  if (skipped === null) stage = await setStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

const PAGES = ["overview", "operators", "kernels", "steps", "annotations", "compare", "query", "diagnostics"];
const more = (view: string): Readonly<Record<string, string>> => {
  if (view === "operators") return { open: "aten::mm" };
  return view === "compare" ? { before: stage.ids.before, after: stage.ids.after } : {};
};

testAccess(
  skipped,
  () => stage,
  PAGES.map((view) => ({
    name: view,
    params: () => ({ profile: stage.ids.before, view, ...more(view) }),
  })),
);
