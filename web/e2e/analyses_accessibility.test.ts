// SPDX-License-Identifier: Apache-2.0
// The pages of analyses: axe-core, and no page wider than the window.
import { afterAll, beforeAll } from "vitest";
import { type AnalysesStage, type Fixture, setAnalysesStage } from "./analyses_stage";
import { testAccess } from "./axe";
import { skipped } from "./harness";

let stage: AnalysesStage;
beforeAll(async () => {
  if (skipped === null) stage = await setAnalysesStage();
});
afterAll(async () => {
  if (skipped === null) await stage.close();
});

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

testAccess(
  skipped,
  () => stage,
  PAGES.map(([fixture, view, more]) => ({
    name: [fixture, view, ...Object.values(more)].join(", "),
    params: () => ({ profile: stage.id(fixture), view, ...more }),
  })),
);
