// SPDX-License-Identifier: Apache-2.0
// A server over made-up profiles and a browser that looks at it; the command line for comparison. What is not there
// (binary, browser) skips the tests and says so.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";
import { makeProfiles } from "./make_profiles";

const BINARY = process.env.TELLTALE ?? "";
const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
// Another server of the same API, for work on the page alone: a command that takes a folder and --port.
const VIEW = process.env.TELLTALE_VIEW?.split(" ") ?? [BINARY, "view"];

function reasonToSkip(): string | null {
  if (BINARY === "" || !existsSync(BINARY)) return "set TELLTALE to the telltale binary";
  if (!existsSync(BROWSER)) return `there is no browser at ${BROWSER}; set CHROMIUM`;
  return null;
}

export const skipped = reasonToSkip();
if (skipped !== null) console.warn(`Browser tests are skipped: ${skipped}.`);

// A server, and the browser that looks at it.
export interface Place {
  readonly url: string;
  readonly browser: Browser;
}

export interface Stage extends Place {
  readonly files: ReturnType<typeof makeProfiles>;
  readonly ids: Readonly<Record<keyof ReturnType<typeof makeProfiles>, string>>;
  readonly close: () => Promise<void>;
}

// What runs, and the address it prints: the token stands there if it has one.
export interface Served {
  readonly url: string;
  readonly stop: () => void;
}

export async function serve(folder: string, ...args: readonly string[]): Promise<Served> {
  const server = spawn(VIEW[0] as string, [...VIEW.slice(1), folder, "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { url: await addressOf(server), stop: () => server.kill("SIGINT") };
}

export const launch = (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"], ...options });

async function addressOf(server: ChildProcess): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    const take = (part: Buffer): void => {
      text += part.toString();
      const url = /https?:\/\/[^\s]+/.exec(text)?.[0];
      if (url !== undefined) resolve(url);
    };
    server.stdout?.on("data", take);
    server.stderr?.on("data", take);
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}

interface Listed {
  readonly profiles: readonly { readonly id: string; readonly paths: readonly string[] }[];
}

export async function setStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-e2e-"));
  const files = makeProfiles(folder);
  const { url, stop } = await serve(folder);
  const listed = (await (await fetch(new URL("api/v1/profiles", url))).json()) as Listed;
  const idOf = (file: string): string =>
    listed.profiles.find((p) => p.paths.some((path) => path === file || file.endsWith(path)))?.id ?? "";
  const ids = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, idOf(file)]),
  ) as Stage["ids"];
  const browser = await launch();
  return {
    url,
    browser,
    files,
    ids,
    close: async () => {
      await browser.close();
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// The command line's JSON.
export function cli<T>(...args: readonly string[]): T {
  return JSON.parse(
    execFileSync(BINARY, [...args, "--json", "-q"], { maxBuffer: 1 << 30, encoding: "utf8" }),
  ) as T;
}

export interface Opened {
  readonly page: Page;
  readonly problems: readonly string[]; // errors of the page and of its console
  readonly close: () => Promise<void>;
}

export async function open(
  stage: Place,
  params: Readonly<Record<string, string>>,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await stage.browser.newContext({ viewport: { width: 1600, height: 1000 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const address = new URL(stage.url);
  address.search = new URLSearchParams(params).toString();
  await page.goto(address.href);
  await page.waitForSelector(".sentence:not([aria-busy])");
  return { page, problems, close: () => context.close() };
}

export interface ReadCell {
  readonly text: string;
  readonly title: string;
}

// The rows of a table that are in the page, as one reads them: by the keys of its columns.
export async function readTable(
  page: Page,
  label: string,
): Promise<readonly Readonly<Record<string, ReadCell>>[]> {
  const grid = page.getByRole("grid", { name: label, exact: true });
  await grid.locator(".t-body [role=row]").first().waitFor();
  return await grid.evaluate((element) => {
    const keys = [...element.querySelectorAll("[role=columnheader]")].map(
      (h) => h.getAttribute("data-column") ?? "",
    );
    return [...element.querySelectorAll(".t-body [role=row]")].map((row) =>
      Object.fromEntries(
        [...row.children].map((cell, i) => {
          const titled =
            cell.getAttribute("title") ?? cell.querySelector(".name")?.getAttribute("title") ?? "";
          return [keys[i] ?? "", { text: (cell.textContent ?? "").trim(), title: titled }];
        }),
      ),
    );
  });
}

// A cell against a value of the report: the exact value on hover is the value itself.
export function exactly(quantity: "time" | "bytes" | "count" | "percent", value: number | null): string {
  if (value === null) return "not in this capture";
  if (quantity === "percent") return `${value * 100} %`;
  const text = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }).format(value);
  return quantity === "time" ? `${text} ns` : quantity === "bytes" ? `${text} B` : text;
}

export const sentence = async (page: Page): Promise<string> =>
  ((await page.locator(".sentence").first().textContent()) ?? "").replaceAll("\u00a0", " ");

// A parameter of the address, as the page itself has it at this moment.
export const param = async (page: Page, name: string): Promise<string | null> =>
  new URLSearchParams(await page.evaluate(() => location.search)).get(name);
