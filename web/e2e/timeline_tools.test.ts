// SPDX-License-Identifier: Apache-2.0
// What one does with a timeline: search by argument, go along flows, measure between edges, label marks, colour by
// name. Everything is held against the address, the panel and what was drawn.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settled, watchRequests } from "./browser";
import { launch, param, type Stage, setStage, skipped } from "./harness";
import { type Drawn, drawn } from "./timeline_compare";

let stage: Stage;
let page: Page;
beforeAll(async () => {
  if (skipped !== null) return;
  stage = await setStage();
  await stage.browser.close();
  const browser = await launch();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  watchRequests(page);
});
afterAll(async () => {
  if (skipped !== null) return;
  await page.context().browser()?.close();
  await stage.close();
});

interface Event {
  readonly file: number;
  readonly row: number;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly name: string;
}
interface Found {
  readonly total: number;
  readonly matches: readonly Event[];
}

async function openTimeline(params: Readonly<Record<string, string>> = {}): Promise<void> {
  const address = new URL(stage.url);
  address.search = new URLSearchParams({
    profile: stage.ids.before,
    view: "timeline",
    ...params,
  }).toString();
  await page.goto(address.href);
  await page.waitForSelector(".tl-canvas canvas");
  await settled(page);
}

async function search(q: string): Promise<Found> {
  const url = new URL(`api/v1/profiles/${stage.ids.before}/timeline/search`, stage.url);
  url.searchParams.set("q", q);
  return (await (await fetch(url)).json()) as Found;
}

const canvasBox = async () => {
  const box = await page.locator(".tl-canvas").boundingBox();
  if (!box) throw new Error("the timeline has no size");
  return box;
};
const fills = (view: Drawn): number[] => view.rows.flatMap((row) => row.boxes.map(([, , fill]) => fill));

describe.skipIf(skipped !== null)("search by argument", () => {
  it("finds, counts and lights what has the argument, and nothing else", async () => {
    await openTimeline({ q: "shape:[128,33] category:kernel" });
    const { total, matches } = await search("shape:[128,33] category:kernel");
    expect(total).toBeGreaterThan(3);
    await page.locator(".tl-found").getByText(String(total)).waitFor();
    await page.getByRole("button", { name: "Next match" }).click();
    await expect.poll(() => param(page, "event")).toBe(`0:${matches[0]?.row}`);
    // Zoomed in so far that no box stands for several events.
    const from = matches[0]?.start_ns ?? 0;
    await openTimeline({
      q: "shape:[128,33] category:kernel",
      start: String(from - 10_000),
      end: String(from + 2_000_000),
    });
    const layout = (await (
      await fetch(new URL(`api/v1/profiles/${stage.ids.before}/timeline`, stage.url))
    ).json()) as { categories: readonly string[] };
    const view = await drawn(page);
    const lit = fills(view).filter((fill) => fill < layout.categories.length * 3);
    const within = matches.filter((m) => m.start_ns < view.end && m.start_ns + m.duration_ns > view.start);
    expect(lit.length).toBe(within.length);
    expect(lit.every((fill) => layout.categories[Math.floor(fill / 3)] === "kernel")).toBe(true);
  });

  it("says what it cannot search, and what it looked for in names instead", async () => {
    await openTimeline({ q: "arg:colour=red" });
    await page.getByText(/colour is not kept in columns/).waitFor();
    await openTimeline({ q: "colour=red stream=7" });
    await page.getByText("looked for in names").waitFor();
  });

  it("explains itself", async () => {
    await openTimeline();
    await page.getByRole("button", { name: "What a search understands" }).click();
    await page.getByText("of device events").first().waitFor();
    await page.getByRole("button", { name: "stream=7 duration>1ms" }).click();
    await expect.poll(() => param(page, "q")).toBe("stream=7 duration>1ms");
  });
});

describe.skipIf(skipped !== null)("flows by key", () => {
  it("go to the kernel that a call launched, and back", async () => {
    const call = (await search("cudaLaunchKernel")).matches[0] as Event;
    const kernel = (await search("void gemm_kernel")).matches[0] as Event;
    await openTimeline({ event: `0:${call.row}` });
    await page.waitForSelector(".tl-panel .key-value");
    await page.locator(".tl-canvas").focus();
    await page.keyboard.press("]");
    await expect.poll(() => param(page, "event")).toBe(`0:${kernel.row}`);
    await page.locator(".tl-event-name", { hasText: "gemm_kernel" }).waitFor();
    await page.keyboard.press("[");
    await expect.poll(() => param(page, "event")).toBe(`0:${call.row}`);
    await page.locator(".tl-event-name", { hasText: "cudaLaunchKernel" }).waitFor();
    await page.keyboard.press("[");
    await page.getByText("Nothing is known to have launched this.").waitFor({ state: "attached" });
    expect(await param(page, "event")).toBe(`0:${call.row}`);
  });
});

describe.skipIf(skipped !== null)("measuring", () => {
  // Over the row that shows a kernel: where it is, and how wide.
  async function kernelOnScreen(): Promise<{ event: Event; x0: number; x1: number; y: number }> {
    const event = (await search("void gemm_kernel")).matches[2] as Event;
    await openTimeline({
      start: String(event.start_ns - event.duration_ns),
      end: String(event.start_ns + 2 * event.duration_ns),
    });
    const view = await drawn(page);
    const box = await canvasBox();
    const x = (ns: number): number => box.x + ((ns - view.start) / (view.end - view.start)) * box.width;
    const x0 = x(event.start_ns);
    const row = view.rows.find((one) => one.boxes.some(([at]) => Math.abs(box.x + at / view.ratio - x0) < 2));
    if (!row) throw new Error("the kernel is not on the screen");
    return { event, x0, x1: x(event.start_ns + event.duration_ns), y: box.y + row.y + row.h / 2 };
  }
  async function measure(from: number, to: number, y: number, alt: boolean): Promise<void> {
    await page.mouse.move(from, y);
    await page.keyboard.down("Shift");
    if (alt) await page.keyboard.down("Alt");
    await page.mouse.down();
    await page.mouse.move(to, y, { steps: 4 });
    await page.mouse.up();
    if (alt) await page.keyboard.up("Alt");
    await page.keyboard.up("Shift");
    await page.waitForSelector(".tl-shares li");
  }

  it("snaps to the edges of the span under the pointer, unless Alt is held", async () => {
    const { event, x0, x1, y } = await kernelOnScreen();
    await measure(x0 - 4, x1 + 5, y, false);
    expect(await param(page, "sel")).toBe(`${event.start_ns},${event.start_ns + event.duration_ns}`);
    const again = await kernelOnScreen(); // without the panel
    await measure(again.x0 - 4, again.x1 + 5, again.y, true);
    const [start = 0, end = 0] = ((await param(page, "sel")) ?? "").split(",").map(Number);
    expect(start).toBeLessThan(event.start_ns);
    expect(end).toBeGreaterThan(event.start_ns + event.duration_ns);
  });
});

describe.skipIf(skipped !== null)("marks", () => {
  it("have a label that lives in the address", async () => {
    await openTimeline();
    const box = await canvasBox();
    await page.mouse.move(box.x + 300, box.y + 200);
    await page.keyboard.press("m");
    await page.locator(".tl-mark").waitFor();
    await page.keyboard.press("l");
    await page.keyboard.type("warm up, 50 %");
    await page.keyboard.press("Enter");
    await expect.poll(() => param(page, "marks")).toMatch(/^\d+:warm up%2C 50 %25$/);
    await page.reload();
    await settled(page);
    expect(await page.locator(".tl-mark input").inputValue()).toBe("warm up, 50 %");
    await page.getByRole("button", { name: /Remove the mark/ }).click();
    await expect.poll(() => param(page, "marks")).toBe(null);
  });
});

describe.skipIf(skipped !== null)("colours", () => {
  it("are by category, and by name as a choice: the same name, the same colour", async () => {
    await openTimeline();
    const plain = fills(await drawn(page));
    await page.getByLabel("Colour by").selectOption("name");
    await expect.poll(() => param(page, "colour")).toBe("name");
    await settled(page);
    const named = fills(await drawn(page));
    expect(named.length).toBe(plain.length);
    expect(named).not.toEqual(plain);
    // Seven tones in three shades, and their dimmed forms.
    expect(Math.max(...named)).toBeLessThan(21);
    await page.reload();
    await settled(page);
    expect(fills(await drawn(page))).toEqual(named);
  });
});
