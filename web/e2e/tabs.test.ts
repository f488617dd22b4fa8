// SPDX-License-Identifier: Apache-2.0
// Many tabs of one browser, each kept current; and a tab whose server refuses its stream, goes away or is another one.
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ProfileList } from "../src/api/types";
import { Front } from "./front";
import { launch, type Served, sentence, serve, skipped } from "./harness";
import { makeProfiles } from "./make_profiles";

let browser: Browser;
beforeAll(async () => {
  if (skipped === null) browser = await launch();
});
afterAll(async () => {
  if (skipped === null) await browser.close();
});

let folder: string;
let files: ReturnType<typeof makeProfiles>;
let front: Front;
let context: BrowserContext;
let running: Served[];

async function setUp(...args: readonly string[]): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "telltale-tabs-"));
  files = makeProfiles(folder);
  running = [await serve(folder, ...args)];
  front = new Front(running[0]?.url ?? "");
  await front.start();
  context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
}

afterEach(async () => {
  await context.close();
  await front.stop();
  for (const server of running) server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const LOOK_MS = 15_000; // the server looks into folders once a second

async function openTab(profile?: string): Promise<Page> {
  const page = await context.newPage();
  const address = new URL(front.url);
  if (profile !== undefined) address.searchParams.set("profile", profile);
  await page.goto(address.href);
  await page.locator(".sentence:not([aria-busy])").first().waitFor({ timeout: LOOK_MS });
  return page;
}

async function idOf(file: string): Promise<string> {
  const list = (await (await fetch(new URL("api/v1/profiles", front.url))).json()) as ProfileList;
  return list.profiles.find((p) => p.paths.some((path) => file.endsWith(path)))?.id ?? "";
}

const seesProfile = (page: Page, name: string): Promise<void> =>
  page.locator(".rail-profile", { hasText: name }).waitFor({ timeout: LOOK_MS });

// A file appears whole, as one that was renamed.
function put(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, `${to}.part`);
  renameSync(`${to}.part`, to);
}
const addProfile = (name: string): void => put(files.after, join(folder, name, `${name}.json`));

// Where no event can have told it.
const noShared = (): void => {
  Reflect.deleteProperty(globalThis, "SharedWorker");
};

describe.skipIf(skipped !== null)("nine tabs", () => {
  beforeEach(() => setUp());

  it("all show data and all learn of a new and of a changed file, through one stream", async () => {
    const id = await idOf(files.before);
    const tabs: Page[] = [];
    for (let i = 0; i < 9; ++i) tabs.push(await openTab(id));
    await expect.poll(() => front.openStreams).toBe(1);
    const before = await sentence(tabs[8] as Page);
    for (const tab of tabs) expect(await sentence(tab)).toBe(before);
    addProfile("appeared");
    for (const tab of tabs) await seesProfile(tab, "appeared");
    put(files.after, files.before);
    for (const tab of tabs) await expect.poll(() => sentence(tab), { timeout: LOOK_MS }).not.toBe(before);
    expect(front.openStreams).toBe(1);
  });

  it("leave the stream to those that stay, and nothing when all are gone", async () => {
    const [first, second] = [await openTab(), await openTab()];
    await expect.poll(() => front.openStreams).toBe(1);
    await first.close();
    addProfile("appeared");
    await seesProfile(second, "appeared");
    await second.reload();
    await seesProfile(second, "appeared");
    await expect.poll(() => front.openStreams).toBe(1);
    await second.goto("about:blank");
    await expect.poll(() => front.openStreams).toBe(0);
  });
});

// A client that opens a stream of changes and only listens.
async function idleStream(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), "127.0.0.1");
  socket.on("error", () => {}); // the server may close it
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write("GET /api/v1/changes HTTP/1.1\r\nHost: localhost\r\n\r\n");
  socket.resume();
  return socket;
}

describe.skipIf(skipped !== null)("beside 2,048 idle streams", () => {
  it("a page shows its data and learns of a new file", async () => {
    await setUp();
    const url = new URL(running[0]?.url ?? "");
    const others = await Promise.all(Array.from({ length: 2048 }, () => idleStream(url)));
    try {
      const tab = await openTab(await idOf(files.before));
      addProfile("appeared");
      await seesProfile(tab, "appeared");
    } finally {
      for (const other of others) other.destroy();
    }
  });
});

describe.skipIf(skipped !== null)("a tab", () => {
  it("has its stream below a path and behind a token, too", async () => {
    await setUp("--path_prefix", "/some/where", "--token", "0123456789abcdef0123456789abcdef");
    const tab = await openTab();
    await expect.poll(() => front.openStreams).toBe(1);
    addProfile("appeared");
    await seesProfile(tab, "appeared");
  });

  it("asks by itself where the stream is refused, and uses it when it no longer is", async () => {
    await setUp();
    front.refuse = (path) =>
      path.endsWith("/changes") ? { status: 503, message: "Too many streams." } : null;
    const tab = await openTab();
    addProfile("appeared");
    await seesProfile(tab, "appeared");
    expect(await tab.locator(".offline").count()).toBe(0);
    front.refuse = () => null;
    await expect.poll(() => front.openStreams, { timeout: 30_000 }).toBe(1);
  });

  it("asks by itself where the browser has no shared workers", async () => {
    await setUp();
    await context.addInitScript(noShared);
    const tab = await openTab();
    addProfile("appeared");
    await seesProfile(tab, "appeared");
    expect(front.openStreams).toBe(0);
  });

  it("says that the server is gone; when it is back, what failed meanwhile is asked for again", async () => {
    await setUp();
    const id = await idOf(files.before);
    const tabs = [await openTab(id), await openTab(id)] as const;
    await front.stop();
    // One lacks only data, the other the page itself.
    for (const [tab, name] of [
      [tabs[0], "Steps"],
      [tabs[1], "Memory"],
    ] as const) {
      await tab.locator(".offline", { hasText: "The server does not answer." }).waitFor();
      await tab.locator("nav[aria-label=Pages] a", { hasText: name }).click();
      await tab.locator("main .failed").first().waitFor();
    }
    await front.start();
    for (const tab of tabs) {
      await tab.locator(".sentence:not([aria-busy])").first().waitFor({ timeout: LOOK_MS });
      await expect.poll(() => tab.locator(".offline, main .failed").count()).toBe(0);
    }
    await expect.poll(() => front.openStreams, { timeout: LOOK_MS }).toBe(1);
  });

  it("goes on with another server that comes to the same address", async () => {
    await setUp();
    const tabs = [await openTab(), await openTab()];
    const elsewhere = mkdtempSync(join(folder, ".other-"));
    put(files.after, join(elsewhere, "elsewhere.json"));
    const second = await serve(elsewhere);
    running.push(second);
    await front.stop();
    for (const tab of tabs) await tab.locator(".offline").waitFor();
    front.target = second.url;
    await front.start();
    for (const tab of tabs) {
      await seesProfile(tab, "elsewhere");
      expect(await tab.locator(".rail-profile").count()).toBe(1);
      await expect.poll(() => tab.locator(".offline").count()).toBe(0);
    }
    await expect.poll(() => front.openStreams, { timeout: LOOK_MS }).toBe(1);
    put(files.after, join(elsewhere, "appeared", "appeared.json"));
    for (const tab of tabs) await seesProfile(tab, "appeared");
  });

  it("is kept current again after Back, where the browser kept the page as it was", async () => {
    // The driver turns that off.
    const keeping = await launch({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
    await setUp();
    await context.close();
    context = await keeping.newContext();
    const tab = await openTab();
    await tab.evaluate(() => {
      addEventListener("pageshow", (event) => {
        document.documentElement.dataset.restored = String(event.persisted);
      });
    });
    await tab.goto(running[0]?.url ?? "");
    await expect.poll(() => front.openStreams).toBe(0);
    await tab.goBack({ waitUntil: "commit" });
    await tab.locator("[data-restored=true]").waitFor();
    await expect.poll(() => front.openStreams).toBe(1);
    addProfile("appeared");
    await seesProfile(tab, "appeared");
    await keeping.close();
  });

  it("says in place what to do when the server asks for a token, and goes on when it has one", async () => {
    await setUp();
    const tab = await openTab();
    front.refuse = (path) =>
      path.includes("/api/") ? { status: 401, message: "Open it with ?token=." } : null;
    await tab.reload();
    await tab.locator("main .failed", { hasText: "Open it with ?token=." }).waitFor();
    expect(await tab.getByText("does not answer").count()).toBe(0);
    front.refuse = () => null;
    await seesProfile(tab, "before");
    expect(await tab.locator("main .failed").count()).toBe(0);
  });
});
