// SPDX-License-Identifier: Apache-2.0
// A server over the project's own test data: ranks, modules, memory, a .prof.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const DATA = join(import.meta.dirname, "../../tests/data");
const VIEW = process.env.TELLTALE_VIEW?.split(" ") ?? [process.env.TELLTALE ?? "", "view"];

const NAMES = {
  layers: "layers.json",
  memory: "memory_five_steps.json",
  timeline: "memory_timeline.raw.json",
  snapshot: "memory_snapshot.json",
  steps: "gpu_two_steps.json",
  host: "host_code.json",
  whole: "cpu_bare_array.json",
  prof: "train.prof",
  ranks: "two_ranks",
} as const;
export type Fixture = keyof typeof NAMES;

export interface AnalysesStage {
  readonly url: string;
  readonly browser: Browser;
  readonly path: (fixture: Fixture) => string;
  readonly id: (fixture: Fixture) => string;
  readonly close: () => Promise<void>;
}

export async function setAnalysesStage(): Promise<AnalysesStage> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-analyses-"));
  for (const name of Object.values(NAMES)) cpSync(join(DATA, name), join(folder, name), { recursive: true });
  const server = spawn(VIEW[0] as string, [...VIEW.slice(1), folder, "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    const take = (part: Buffer): void => {
      text += part.toString();
      const found = /https?:\/\/[^\s]+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    };
    server.stdout.on("data", take);
    server.stderr.on("data", take);
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  const listed = (await (await fetch(new URL("api/v1/profiles", url))).json()) as {
    readonly profiles: readonly { readonly id: string; readonly paths: readonly string[] }[];
  };
  // All are read before the first test looks at one.
  for (const { id } of listed.profiles) {
    const ask = (): Promise<Response> => fetch(new URL(`api/v1/profiles/${id}/report?view=diagnostics`, url));
    while ((await ask()).status === 202) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  return {
    url,
    browser,
    path: (fixture) => join(folder, NAMES[fixture]),
    id: (fixture) =>
      listed.profiles.find((p) => p.paths.some((path) => path.includes(NAMES[fixture])))?.id ?? "",
    close: async () => {
      await browser.close();
      server.kill("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
