// SPDX-License-Identifier: Apache-2.0
// A server over made-up runs and a browser that looks at it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { RunList, TagList } from "../src/api/runs";
import { launch, serve } from "./harness";
import { makeRuns } from "./make_runs";

export interface RunsStage {
  readonly url: string;
  readonly browser: Browser;
  readonly api: <T>(path: string) => Promise<T>;
  readonly runs: RunList["runs"]; // as the API lists them
  readonly tags: readonly string[]; // of numbers
  readonly grow: () => void; // points are logged
  readonly close: () => Promise<void>;
}

const READY_MS = 30_000;

async function started(): Promise<{ url: string; grow: () => void; stop: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-runs-"));
  const made = makeRuns(folder);
  const served = await serve(folder);
  let at = made.steps;
  return {
    url: served.url,
    grow: () => {
      for (let run = 0; run < made.names.length; ++run) made.append(run, at, at + 5);
      at += 5;
    },
    stop: () => {
      served.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function setRunsStage(): Promise<RunsStage> {
  const { url, grow, stop } = await started();
  const api = async <T>(path: string): Promise<T> =>
    (await (await fetch(new URL(`api/v1/${path}`, url))).json()) as T;
  const until = Date.now() + READY_MS;
  let list = await api<RunList>("runs?limit=1000");
  while ((list.all ?? 0) < 4 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    list = await api<RunList>("runs?limit=1000");
  }
  const { tags } = await api<TagList>("series/tags");
  const browser = await launch();
  return {
    url,
    browser,
    api,
    grow,
    runs: list.runs,
    tags: tags.filter(({ plugin }) => plugin === "scalars").map(({ tag }) => tag),
    close: async () => {
      await browser.close();
      stop();
    },
  };
}
