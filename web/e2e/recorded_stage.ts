// SPDX-License-Identifier: Apache-2.0
// A server over made-up run folders, as `telltale run` leaves them, and a browser that looks at it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { RunList } from "../src/api/runs";
import { launch, serve } from "./harness";
import { makeRecorded, type Recorded } from "./make_recorded";

export const LONG_LINES = 1_000_000;
const READY_MS = 30_000;

export interface RecordedStage {
  readonly url: string;
  readonly browser: Browser;
  readonly recorded: Recorded;
  readonly api: <T>(path: string) => Promise<T>;
  readonly ids: Readonly<Record<keyof Recorded["names"], string>>;
  readonly close: () => Promise<void>;
}

export async function setRecordedStage(longLines = 0): Promise<RecordedStage> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-recorded-"));
  const recorded = makeRecorded(folder, longLines);
  const served = await serve(folder);
  const api = async <T>(path: string): Promise<T> =>
    (await (await fetch(new URL(`api/v1/${path}`, served.url))).json()) as T;
  const expected = longLines > 0 ? 5 : 4;
  const until = Date.now() + READY_MS;
  let list = await api<RunList>("runs?limit=100");
  while (list.all < expected && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    list = await api<RunList>("runs?limit=100");
  }
  const idOf = (name: string): string => list.runs.find((run) => run.name.endsWith(name))?.id ?? "";
  const browser = await launch();
  return {
    url: served.url,
    browser,
    recorded,
    api,
    ids: {
      done: idOf(recorded.names.done),
      failed: idOf(recorded.names.failed),
      live: idOf(recorded.names.live),
      foreign: idOf(recorded.names.foreign),
      long: idOf(recorded.names.long),
    },
    close: async () => {
      await browser.close();
      served.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
