// SPDX-License-Identifier: Apache-2.0
// Compares what the timeline drew with what the API says. Boxes come from data-drawn (features/profile/timeline/probe.ts),
// pixels from the canvas itself; both are held against the server's spans, row by row, with a tolerance for the
// edges of boxes: the page draws from a window other than the one asked for here.
import type { Page } from "playwright-core";
import { ROW_FIELDS, wholeView } from "../src/lib/spans";

export interface DrawnRow {
  readonly track: number;
  readonly depth: number;
  readonly y: number;
  readonly h: number;
  readonly boxes: readonly (readonly [x: number, width: number, fill: number])[];
}
export interface Drawn {
  readonly ratio: number;
  readonly start: number;
  readonly end: number;
  readonly rows: readonly DrawnRow[];
}

const SHADES = 3;

export async function drawn(page: Page): Promise<Drawn> {
  await page.evaluate(() => document.querySelector(".page")?.setAttribute("data-probe", ""));
  // Any movement draws anew.
  await page.locator(".tl-scroll").evaluate((element) => element.dispatchEvent(new Event("scroll")));
  await page.waitForTimeout(300);
  const text = await page.getAttribute("[data-part=base]", "data-drawn");
  await page.evaluate(() => document.querySelector(".page")?.removeAttribute("data-probe"));
  return JSON.parse(text ?? "null") as Drawn;
}

// Per row "track:depth": the category of each pixel, -1 for none.
export async function expectedRows(
  address: string,
  profile: string,
  view: Drawn,
  width: number,
): Promise<Map<string, Int16Array>> {
  const tracks = [...new Set(view.rows.map((row) => row.track))].join();
  const start = Math.max(0, Math.floor(view.start));
  const end = Math.ceil(view.end);
  const pixels = Math.ceil((width * (end - start)) / (view.end - view.start));
  const url = `${address}api/v1/profiles/${profile}/timeline/spans?start=${start}&end=${end}&width=${pixels}&tracks=${tracks}`;
  const table = await wholeView(async (skip) => await (await fetch(`${url}&skip=${skip}`)).arrayBuffer());
  const scale = width / (view.end - view.start);
  const rows = new Map<string, Int16Array>();
  for (let row = 0; row < table.rowCount; row++) {
    const [track, depth, first = 0, number = 0] = table.rows.subarray(
      row * ROW_FIELDS,
      (row + 1) * ROW_FIELDS,
    );
    const line = new Int16Array(width).fill(-1);
    for (let i = first; i < first + number; i++) {
      const begin = table.start[i] ?? 0;
      const x0 = Math.round((begin - view.start) * scale);
      const x1 = Math.round((begin + (table.duration[i] ?? 0) - view.start) * scale);
      line.fill(table.category[i] ?? 0, Math.max(0, x0), Math.max(x0 + 1, x1));
    }
    rows.set(`${track}:${depth}`, line);
  }
  return rows;
}

export function pixelsOf(row: DrawnRow, width: number): Int16Array {
  const line = new Int16Array(width).fill(-1);
  for (const [x, wide, fill] of row.boxes) line.fill(Math.floor(fill / SHADES), x, x + wide);
  return line;
}

// The share of pixels per category, -1 (nothing) included.
export function histogram(line: Int16Array): Map<number, number> {
  const shares = new Map<number, number>();
  for (const category of line) shares.set(category, (shares.get(category) ?? 0) + 1 / line.length);
  return shares;
}
export function distance(a: Map<number, number>, b: Map<number, number>): number {
  let sum = 0;
  for (const key of new Set([...a.keys(), ...b.keys()]))
    sum += Math.abs((a.get(key) ?? 0) - (b.get(key) ?? 0));
  return sum / 2;
}

// The canvas's own pixels along the top edge of each row, where no text is, as categories by nearest colour.
export async function picturedRows(page: Page, rows: readonly DrawnRow[], categories: readonly string[]) {
  return await page.evaluate(
    ({ rows, categories }) => {
      const canvas = document.querySelector<HTMLCanvasElement>("[data-part=base]");
      const context = canvas?.getContext("2d");
      if (!canvas || !context) throw new Error("no canvas");
      const probe = document.body.appendChild(document.createElement("span"));
      const colour = (name: string): number[] => {
        probe.style.color = `var(--${name})`;
        return (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number).slice(0, 3);
      };
      const mix = (a: number[], b: number[], share: number): number[] =>
        a.map((value, i) => value + ((b[i] ?? 0) - value) * share);
      // The shades of canvas/palette.ts.
      const known = categories.flatMap((category) => {
        const plain = colour(`c-${category}`);
        return [plain, mix(plain, colour("text"), 0.09), mix(plain, colour("text"), 0.18)];
      });
      const grounds = ["panel", "bg", "raised", "hover", "border"].map(colour);
      probe.remove();
      const far = (a: number[], r: number, g: number, b: number): number =>
        Math.abs((a[0] ?? 0) - r) + Math.abs((a[1] ?? 0) - g) + Math.abs((a[2] ?? 0) - b);
      return rows.map((row) => {
        const { data } = context.getImageData(0, row.y + 1, canvas.width, 1);
        const line: number[] = [];
        for (let i = 0; i < data.length; i += 4) {
          const [r = 0, g = 0, b = 0] = data.subarray(i, i + 3);
          let best = -1;
          let least = Math.min(...grounds.map((ground) => far(ground, r, g, b)));
          known.forEach((each, shade) => {
            if (far(each, r, g, b) < least) {
              least = far(each, r, g, b);
              best = Math.floor(shade / 3);
            }
          });
          line.push(best);
        }
        return line;
      });
    },
    { rows: rows.map(({ y }) => ({ y })), categories: [...categories] },
  );
}
