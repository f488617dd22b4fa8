// SPDX-License-Identifier: Apache-2.0
// The timeline in a real browser against a running server: what is drawn is held against the API's numbers, and
// everything chosen by mouse and keyboard against the address and the panels. By itself:
// node e2e/run.mjs timeline http://localhost:6006/ PROFILE
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Layout } from "../src/lib/timeline_layout";
import { time } from "../src/lib/units";
import { addressAndProfile, openBrowser, openTimeline, settled } from "./browser";
import { distance, drawn, expectedRows, histogram, picturedRows, pixelsOf } from "./timeline_compare";

// What did not hold.
// The first request has the profile read; until it is, the answer is 202.
async function loadedLayout(address: string): Promise<Layout> {
  for (;;) {
    const answer = await fetch(address);
    if (answer.status !== 202) return (await answer.json()) as Layout;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function checkTimeline(address: string, profile: string): Promise<readonly string[]> {
  const { browser, page, problems } = await openBrowser(1440, 900);
  const base = `${address}api/v1/profiles/${profile}/timeline`;
  const layout = await loadedLayout(base);
  const files = new Map(layout.groups.map((group) => [group.id, group.file]));
  const failures: string[] = [];

  function check(what: string, holds: boolean, found: unknown = ""): void {
    const line = `${what}${holds ? "" : `: ${JSON.stringify(found)}`}`;
    if (!holds) failures.push(line);
    console.log(`${holds ? "ok  " : "FAIL"} ${line}`);
  }
  const param = (name: string): string | null => new URL(page.url()).searchParams.get(name);
  const canvasBox = async () => {
    const box = await page.locator(".tl-canvas").boundingBox();
    if (!box) throw new Error("the timeline has no size");
    return box;
  };

  async function comparePicture(what: string): Promise<void> {
    const width = Math.round((await canvasBox()).width);
    const view = await drawn(page);
    const expected = await expectedRows(address, profile, view, width);
    const rows = view.rows.filter((row) => row.y > 28 && row.boxes.length > 0);
    const pictured = await picturedRows(page, rows, layout.categories);
    let worstBoxes = 0;
    let worstPicture = 0;
    rows.forEach((row, i) => {
      const wanted = histogram(expected.get(`${row.track}:${row.depth}`) ?? new Int16Array(width).fill(-1));
      const boxes = pixelsOf(row, width);
      worstPicture = Math.max(
        worstPicture,
        distance(histogram(boxes), histogram(Int16Array.from(pictured[i] ?? []))),
      );
      // Boxes leave a pixel to their neighbour, which the API knows nothing of.
      const gaps = row.boxes.filter(([, wide]) => wide >= 2).length / width;
      worstBoxes = Math.max(worstBoxes, distance(histogram(boxes), wanted) - gaps);
    });
    check(`${what}: ${rows.length} rows drawn`, rows.length > 0);
    check(
      `${what}: boxes as the API has them (worst row off by ${(worstBoxes * 100).toFixed(1)} %)`,
      worstBoxes < 0.05,
    );
    check(
      `${what}: picture shows these boxes (worst row off by ${(worstPicture * 100).toFixed(1)} %)`,
      worstPicture < 0.08,
    );
    for (const row of view.rows) {
      const missing =
        row.boxes.length === 0 &&
        histogram(expected.get(`${row.track}:${row.depth}`) ?? new Int16Array(1).fill(-1)).size > 1;
      if (missing) check(`${what}: track ${row.track} row ${row.depth} is not empty`, false);
    }
  }

  await openTimeline(page, address, `profile=${profile}`);
  await comparePicture("whole trace");

  // Zooming at the pointer, and the address.
  const box = await canvasBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 120);
  for (let i = 0; i < 10; i++) await page.mouse.wheel(0, -240);
  await settled(page);
  const middle = layout.duration_ns * (0.4 * 1.04 - 0.02);
  const start = Number(param("start"));
  const end = Number(param("end"));
  const pixel = (layout.duration_ns * 1.04) / box.width; // where the zooming began
  const anchor = start + 0.4 * (end - start);
  check("the wheel zooms at the pointer", Math.abs(anchor - middle) < pixel, {
    start,
    end,
    middle,
  });
  await comparePicture("zoomed");
  await page.reload();
  await settled(page);
  check("a reload keeps the view", Number(param("start")) === start && Number(param("end")) === end);
  const again = await drawn(page);
  check("and draws it", Math.abs(again.start - start) <= 1 && Math.abs(again.end - end) <= 1, again.start);

  // A click on the widest box in sight.
  const height = (await canvasBox()).height;
  const found = again.rows
    .filter((row) => row.y > 30 && row.y + row.h < height)
    .flatMap((row) => row.boxes.map(([x, wide]) => ({ row, x, wide })))
    .sort((a, b) => b.wide - a.wide)[0];
  if (found) {
    await page.mouse.click(
      box.x + found.x + found.wide / 2,
      (await canvasBox()).y + found.row.y + found.row.h / 2,
    );
    await page.waitForSelector(".tl-panel .key-value");
    const [file, row] = (param("event") ?? "").split(":");
    const event = (await (await fetch(`${base}/event?file=${file}&row=${row}`)).json()) as {
      name: string;
      duration_ns: number;
      track: number;
    };
    check("a click chooses the event there", event.track === found.row.track, event.track);
    const group = layout.tracks.find((track) => track.id === found.row.track)?.group ?? -1;
    check("of its file", Number(file) === files.get(group), file);
    const shown = (await page.locator(".tl-panel").textContent()) ?? "";
    check("the panel shows its duration", shown.includes(time(event.duration_ns)), time(event.duration_ns));
    check("and its name", shown.includes(event.name.slice(0, 40)), event.name);
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(500);
    check("an arrow goes to the next event", param("event") !== `${file}:${row}` || found.wide > 1000);
    await page.keyboard.press("Escape");
    check("Esc lets go", param("event") === null);
  } else check("there is a box to click", false);

  // Searching.
  const word = "a";
  await page.keyboard.press("/");
  await page.keyboard.type(word);
  await page.waitForTimeout(1200);
  const search = (await (await fetch(`${base}/search?q=${word}&limit=3`)).json()) as { total: number };
  const count = (await page.locator(".tl-found").textContent()) ?? "";
  check("search counts what the API counts", count.endsWith(search.total.toLocaleString("en-US")), count);
  // The event in the address, once it is another than before.
  const nextEvent = async (before: string | null): Promise<string | null> => {
    await page
      .waitForFunction((old) => new URLSearchParams(location.search).get("event") !== old, before, {
        timeout: 15_000,
      })
      .catch(() => {});
    return param("event");
  };
  await page.keyboard.press("Enter");
  const firstMatch = await nextEvent(null);
  check("Enter goes to a match", firstMatch !== null);
  await page.keyboard.press("Enter");
  const secondMatch = await nextEvent(firstMatch);
  check("and on to the next", secondMatch !== firstMatch);
  await page.keyboard.press("Shift+Enter");
  check("Shift-Enter goes back", (await nextEvent(secondMatch)) === firstMatch, param("event"));
  await settled(page);
  await page.keyboard.press("Escape");
  await page.locator(".tl-canvas").focus();
  await page.keyboard.press("Escape");

  // The whole trace, a range, a mark.
  await page.keyboard.press("0");
  await settled(page);
  check("0 shows the whole trace", param("start") === null, param("start"));
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 200, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForSelector(".tl-shares li");
  const [from = 0, to = 0] = (param("sel") ?? "").split(",").map(Number);
  check("shift-drag chooses a range", to > from, param("sel"));
  check(
    "the panel says how long it is",
    ((await page.locator(".tl-panel h2").textContent()) ?? "").includes(time(to - from)),
  );
  await page.keyboard.press("m");
  check("m marks", param("marks") !== null);

  // Lit: one category.
  const category = layout.categories[Math.floor((again.rows[0]?.boxes[0]?.[2] ?? 0) / 3)] ?? "";
  await openTimeline(page, address, `profile=${profile}&lit=${category}`);
  const lit = await drawn(page);
  const dimmed = layout.categories.length * 3;
  const wrong = lit.rows
    .flatMap((row) => row.boxes)
    .filter(
      ([, , fill]) => fill < dimmed !== (layout.categories[Math.floor((fill % dimmed) / 3)] === category),
    );
  check(`lit=${category} dims all else`, wrong.length === 0, wrong.length);

  // The picture as a file.
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "PNG" }).click();
  await page.getByRole("button", { name: "What is in view" }).click();
  const path = await (await download).path();
  check("PNG", readFileSync(path).subarray(1, 4).toString() === "PNG");

  // Accessibility.
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run: (where: string) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const result = await axe.run(".page");
    return result.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html.slice(0, 120)}`);
  });
  check("axe finds nothing", violations.length === 0, violations);
  check("no errors in the page", problems.length === 0, problems);

  await browser.close();
  return failures;
}

if (process.argv[2] === "timeline") {
  const { address, profile } = addressAndProfile();
  const failures = await checkTimeline(address, profile);
  console.log(failures.length === 0 ? "timeline: all held" : `timeline: ${failures.length} failed`);
  process.exit(failures.length === 0 ? 0 : 1);
}
