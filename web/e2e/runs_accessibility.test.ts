// SPDX-License-Identifier: Apache-2.0
// The pages of runs: axe-core, and no page wider than the window.
import { afterAll, beforeAll } from "vitest";
import { testAccess } from "./axe";
import { skipped } from "./harness";
import { type RunsStage, setRunsStage } from "./runs_stage";

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

testAccess(
  skipped,
  () => stage,
  PAGES.map(([name, params]) => ({ name, params: () => filled(params) })),
);
