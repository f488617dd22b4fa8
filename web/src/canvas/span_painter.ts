// SPDX-License-Identifier: Apache-2.0
// Draws rows of boxes and the names in them. Works in device pixels. The buffers are kept from frame to frame and
// only ever grow.
import { firstEndingAfter, ROW_FIELDS, type SpanTable } from "../lib/spans";
import { isSet } from "../lib/timeline_matching";
import type { NameTable } from "../lib/timeline_names";
import { fillOf, type Palette } from "./palette";
import { run, Sheet } from "./sheet";

const LEAST_TEXT = 26; // CSS pixels: about three letters and the room around them
const FONT_PIXELS = 11;

// What is lit, per category and per name 1; null: all. The rest is dimmed. `events` by track: a bit for each event
// of its file; a block of several is judged by its longest.
export interface Lit {
  categories: Uint8Array | null;
  names: Uint8Array | null;
  events: ReadonlyMap<number, Uint8Array> | null;
}

// Told of each box drawn, if someone asks (tests do).
export type BoxListener = (x: number, width: number, fill: number) => void;

export class SpanPainter {
  readonly sheet = new Sheet();
  boxes = 0; // drawn in this frame
  onBox: BoxListener | null = null;
  private texts = 0;
  private textX = new Float32Array(1024);
  private textY = new Float32Array(1024);
  private textW = new Float32Array(1024);
  private textName = new Uint32Array(1024);
  private textFill = new Uint16Array(1024);
  private scale = 1;
  private origin = 0;
  private ratio = 1;
  private palette: Palette | null = null;
  private lit: Lit | null = null;
  private names: NameTable | null = null;
  private font = "";
  private family = "";
  private fontRatio = 0;
  private measured: CanvasRenderingContext2D | null = null;
  private readonly measure = (text: string): number => this.measured?.measureText(text).width ?? 0;

  // `width`: device pixels for `span` ns from `origin` on.
  begin(
    origin: number,
    span: number,
    width: number,
    ratio: number,
    palette: Palette,
    lit: Lit,
    names: NameTable,
  ): void {
    this.sheet.begin(width);
    this.boxes = 0;
    this.texts = 0;
    this.origin = origin;
    this.scale = width / span;
    this.ratio = ratio;
    this.palette = palette;
    this.lit = lit;
    this.names = names;
  }

  // The part of a row between two moments, into the line of pixels at `line`; `middle` is the height of its names,
  // NaN for none. Boxes are a pixel wide at least; one that would fall onto a pixel just filled is left out.
  addPart(table: SpanTable, row: number, from: number, to: number, line: number, middle: number): void {
    const { rows, start, duration, name, category, merged, event } = table;
    const first = rows[row * ROW_FIELDS + 2] as number;
    const number = rows[row * ROW_FIELDS + 3] as number;
    const end = first + number;
    const { scale, origin, onBox } = this;
    const { pixels, width } = this.sheet;
    const palette = this.palette as Palette;
    const { colours, dimmed } = palette;
    const { categories: litCategories, names: litNames, events } = this.lit as Lit;
    const litEvents = events?.get(rows[row * ROW_FIELDS] as number) ?? null;
    const names = this.names as NameTable;
    const left = Math.max(0, Math.round((from - origin) * scale));
    const right = Math.min(width, Math.round((to - origin) * scale));
    const leastText = Number.isNaN(middle) ? Number.POSITIVE_INFINITY : LEAST_TEXT * this.ratio;
    let filledTo = left; // pixels before this are taken
    let filledLit = true; // and the last of them is lit
    for (let i = firstEndingAfter(table, first, number, from); i < end; i++) {
      const begin = start[i] as number;
      if (begin >= to) break;
      let x0 = Math.round((begin - origin) * scale);
      let x1 = Math.round((begin + (duration[i] as number) - origin) * scale);
      if (x0 < left) x0 = left;
      if (x1 <= x0) x1 = x0 + 1;
      if (x1 > right) x1 = right;
      const c = category[i] as number;
      const n = name[i] as number;
      const isLit =
        (litCategories === null || litCategories[c] === 1) &&
        (litNames === null || litNames[n] === 1) &&
        (litEvents === null || isSet(litEvents, event[i] as number));
      if (x1 <= filledTo) {
        // A lit box is seen even where dimmed ones are too dense to be told apart.
        if (!isLit || filledLit || filledTo === left) continue;
        x0 = filledTo - 1;
        x1 = filledTo;
      } else if (x0 < filledTo) x0 = filledTo;
      if (x1 <= x0) continue;
      filledTo = x1;
      filledLit = isLit;
      const wide = x1 - x0;
      const fill = fillOf(palette, c, names.hash(n)) + (isLit ? 0 : dimmed);
      // Room to the next box, where there is room at all.
      run(pixels, line + x0, line + (wide >= 3 ? x1 - 1 : x1), colours[fill] as number);
      this.boxes++;
      if (onBox !== null) onBox(x0, wide >= 3 ? wide - 1 : wide, fill);
      if (wide >= leastText && (merged[i] as number) === 1) this.addText(x0, middle, wide, n, fill);
    }
  }

  private addText(x: number, middle: number, w: number, name: number, fill: number): void {
    const index = this.texts;
    if (index === this.textX.length) this.grow();
    this.textX[index] = x;
    this.textY[index] = middle;
    this.textW[index] = w;
    this.textName[index] = name;
    this.textFill[index] = fill;
    this.texts = index + 1;
  }

  paint(context: CanvasRenderingContext2D): void {
    this.sheet.lay(context);
    const palette = this.palette as Palette;
    const names = this.names as NameTable;
    const { ratio } = this;
    if (palette.font !== this.family || ratio !== this.fontRatio) {
      this.family = palette.font;
      this.fontRatio = ratio;
      this.font = `${FONT_PIXELS * ratio}px ${palette.font}`;
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
        const wanted = fill >= palette.dimmed ? 2 : (palette.darkText[fill] as number);
        if (wanted !== ink) continue;
        const room = (this.textW[i] as number) - 2 * pad;
        const text = names.fitted(this.textName[i] as number, room, this.measure);
        if (text !== "") context.fillText(text, (this.textX[i] as number) + pad, this.textY[i] as number);
      }
    }
  }

  private grow(): void {
    const size = this.textX.length * 2;
    const wider = <T extends Float32Array | Uint16Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.textX = wider(this.textX, new Float32Array(size));
    this.textY = wider(this.textY, new Float32Array(size));
    this.textW = wider(this.textW, new Float32Array(size));
    this.textName = wider(this.textName, new Uint32Array(size));
    this.textFill = wider(this.textFill, new Uint16Array(size));
  }
}
