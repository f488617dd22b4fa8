// SPDX-License-Identifier: Apache-2.0
// The pages of recorded runs: axe-core, and no page wider than the window.
import { afterAll, beforeAll } from "vitest";
import { testAccess } from "./axe";
import { skipped } from "./harness";
import { type RecordedStage, setRecordedStage } from "./recorded_stage";

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

testAccess(
  skipped,
  () => stage,
  PAGES.map(([name, run, params]) => ({
    name,
    params: () => (run === null ? params : { run: stage.ids[run], ...params }),
  })),
);
