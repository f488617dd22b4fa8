// SPDX-License-Identifier: Apache-2.0
// Draws boxes: rows are added, boxes go into buckets of one colour, each bucket is filled in one go, then the
// texts. Works in device pixels. The buffers are kept from frame to frame and only ever grow.
import { firstEndingAfter, ROW_FIELDS, type SpanTable } from "../lib/spans";
import type { NameTable } from "../lib/timeline_names";
import { type Palette, SHADES } from "./palette";

const MOST_FILLS = 512;
const LEAST_TEXT = 26; // CSS pixels: about three letters and the room around them

// What is lit, per category and per name 1; null: all. The rest is dimmed.
export interface Lit {
  categories: Uint8Array | null;
  names: Uint8Array | null;
}

export class SpanPainter {
  count = 0;
  // Of each box drawn in this frame:
  x = new Float32Array(4096);
  y = new Float32Array(4096);
  w = new Float32Array(4096);
  h = new Float32Array(4096);
  fill = new Uint16Array(4096);
  texts = 0;
  private order = new Uint32Array(4096);
  private readonly offsets = new Uint32Array(MOST_FILLS + 1);
  private textX = new Float32Array(1024);
  private textY = new Float32Array(1024);
  private textW = new Float32Array(1024);
  private textName = new Uint32Array(1024);
  private textFill = new Uint16Array(1024);
  private scale = 1;
  private origin = 0;
  private ratio = 1;
  private dimmed = 0;
  private readonly lit: Lit = { categories: null, names: null };
  private names: NameTable | null = null;
  private font = "";
  private family = "";
  private fontRatio = 0;

  // `scale`: device pixels per ns; `origin`: the moment at x = 0.
  begin(origin: number, scale: number, ratio: number, palette: Palette, lit: Lit, names: NameTable): void {
    this.count = 0;
    this.texts = 0;
    this.origin = origin;
    this.scale = scale;
    this.ratio = ratio;
    this.dimmed = palette.dimmed;
    this.lit.categories = lit.categories;
    this.lit.names = lit.names;
    this.names = names;
  }

  // The part of a row between two moments, at y in device pixels. Boxes are a pixel wide at least; those that
  // would fall onto the pixel just filled are left out: it is full.
  addRow(table: SpanTable, row: number, from: number, to: number, y: number, h: number, text: boolean): void {
    const { rows, start, duration, name, category, merged } = table;
    const first = rows[row * ROW_FIELDS + 2] as number;
    const number = rows[row * ROW_FIELDS + 3] as number;
    const end = first + number;
    const { scale, origin, dimmed } = this;
    const litCategories = this.lit.categories;
    const litNames = this.lit.names;
    const names = this.names as NameTable;
    const left = Math.round((from - origin) * scale);
    const right = Math.round((to - origin) * scale);
    const leastText = LEAST_TEXT * this.ratio;
    let filledTo = left; // pixels before this are full
    let filledLit = true; // and what fills the last of them is lit
    for (let i = firstEndingAfter(table, first, number, from); i < end; i++) {
      const begin = start[i] as number;
      if (begin >= to) break;
      let x0 = Math.round((begin - origin) * scale);
      let x1 = Math.round((begin + (duration[i] as number) - origin) * scale);
      if (x0 < left) x0 = left;
      if (x1 > right) x1 = right;
      if (x1 <= x0) x1 = x0 + 1;
      const c = category[i] as number;
      const n = name[i] as number;
      const isLit =
        (litCategories === null || litCategories[c] === 1) && (litNames === null || litNames[n] === 1);
      if (x1 <= filledTo) {
        // A lit box is seen even where dimmed ones are too dense to be told apart.
        if (!isLit || filledLit) continue;
        x0 = filledTo - 1;
      } else if (x0 < filledTo) x0 = filledTo;
      filledTo = x1;
      filledLit = isLit;
      const wide = x1 - x0;
      const index = this.count;
      if (index === this.x.length) this.grow();
      const fill = c * SHADES + (names.hash(n) % SHADES) + (isLit ? 0 : dimmed);
      this.x[index] = x0;
      this.y[index] = y;
      this.w[index] = wide >= 3 ? wide - 1 : wide;
      this.h[index] = h;
      this.fill[index] = fill;
      this.count = index + 1;
      if (text && wide >= leastText && (merged[i] as number) === 1)
        this.addText(x0, y + h / 2, wide, n, fill);
    }
  }

  private addText(x: number, middle: number, w: number, name: number, fill: number): void {
    const index = this.texts;
    if (index === this.textX.length) this.growTexts();
    this.textX[index] = x;
    this.textY[index] = middle;
    this.textW[index] = w;
    this.textName[index] = name;
    this.textFill[index] = fill;
    this.texts = index + 1;
  }

  paint(context: CanvasRenderingContext2D, palette: Palette): void {
    const { count, fill, order, offsets, x, y, w, h } = this;
    offsets.fill(0);
    for (let i = 0; i < count; i++) {
      const next = (fill[i] as number) + 1;
      offsets[next] = (offsets[next] as number) + 1;
    }
    for (let c = 0; c < MOST_FILLS; c++) offsets[c + 1] = (offsets[c + 1] as number) + (offsets[c] as number);
    for (let i = 0; i < count; i++) {
      const colour = fill[i] as number;
      const place = offsets[colour] as number;
      order[place] = i;
      offsets[colour] = place + 1;
    }
    let current = -1;
    for (let k = 0; k < count; k++) {
      const i = order[k] as number;
      const colour = fill[i] as number;
      if (colour !== current) {
        current = colour;
        context.fillStyle = palette.fills[colour] ?? palette.muted;
      }
      context.fillRect(x[i] as number, y[i] as number, w[i] as number, h[i] as number);
    }
  }

  paintTexts(context: CanvasRenderingContext2D, palette: Palette): void {
    const { ratio } = this;
    const names = this.names as NameTable;
    if (palette.font !== this.family || ratio !== this.fontRatio) {
      this.family = palette.font;
      this.fontRatio = ratio;
      this.font = `${11 * ratio}px ${palette.font}`;
      names.forgetWidths();
    }
    context.font = this.font;
    context.textBaseline = "middle";
    context.textAlign = "left";
    this.measured = context;
    const pad = 4 * ratio;
    for (let ink = 0; ink < 3; ink++) {
      context.fillStyle = ink === 0 ? palette.lightInk : ink === 1 ? palette.darkInk : palette.dimInk;
      for (let i = 0; i < this.texts; i++) {
        const fill = this.textFill[i] as number;
        const wanted = fill >= this.dimmed ? 2 : (palette.darkText[fill] as number);
        if (wanted !== ink) continue;
        const text = names.fitted(
          this.textName[i] as number,
          (this.textW[i] as number) - 2 * pad,
          this.measure,
        );
        if (text === "") continue;
        context.fillText(text, (this.textX[i] as number) + pad, this.textY[i] as number);
      }
    }
  }

  private measured: CanvasRenderingContext2D | null = null;
  private readonly measure = (text: string): number => this.measured?.measureText(text).width ?? 0;

  private grow(): void {
    const size = this.x.length * 2;
    this.x = grown(this.x, new Float32Array(size));
    this.y = grown(this.y, new Float32Array(size));
    this.w = grown(this.w, new Float32Array(size));
    this.h = grown(this.h, new Float32Array(size));
    this.fill = grown(this.fill, new Uint16Array(size));
    this.order = new Uint32Array(size);
  }
  private growTexts(): void {
    const size = this.textX.length * 2;
    this.textX = grown(this.textX, new Float32Array(size));
    this.textY = grown(this.textY, new Float32Array(size));
    this.textW = grown(this.textW, new Float32Array(size));
    this.textName = grown(this.textName, new Uint32Array(size));
    this.textFill = grown(this.textFill, new Uint16Array(size));
  }
}

function grown<T extends Float32Array | Uint16Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
