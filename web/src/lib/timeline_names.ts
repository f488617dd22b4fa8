// SPDX-License-Identifier: Apache-2.0
// Names of spans, each once for the whole page, and how each is written into a box of some width. Widths are
// measured once; shortened forms are kept, so that a frame that moves nothing new creates no strings.
import { kernelName } from "./kernel_names";
import { shortenMiddle, visible } from "./text";

// Kernels without what all of them have. Other names are left as they are: "load(path)" is no signature.
export const shownName = (name: string): string => (/^void |::|[<*&]/.test(name) ? kernelName(name) : name);

export class NameTable {
  private readonly ids = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly boxes: string[] = []; // as written into boxes
  private readonly widths: number[] = [];
  private readonly shades: number[] = [];
  private readonly short = new Map<number, string>();

  intern(name: string): number {
    const known = this.ids.get(name);
    if (known !== undefined) return known;
    const id = this.texts.length;
    this.ids.set(name, id);
    const text = visible(name);
    this.texts.push(text);
    this.boxes.push(shownName(text));
    this.widths.push(-1);
    this.shades.push(hash(name));
    return id;
  }

  get size(): number {
    return this.texts.length;
  }
  text(id: number): string {
    return this.texts[id] ?? "";
  }
  // Steady per name: neighbours of one category are told apart by it.
  hash(id: number): number {
    return this.shades[id] ?? 0;
  }

  // An answer's own numbering of names becomes the page's, in place.
  adopt(column: Uint32Array, names: readonly string[]): void {
    const ids = new Uint32Array(names.length);
    for (let i = 0; i < names.length; i++) ids[i] = this.intern(names[i] as string);
    for (let i = 0; i < column.length; i++) column[i] = ids[column[i] as number] as number;
  }

  // The name as it fits into `pixels`: in full, without what many names begin with, or shortened; "" if not even
  // three letters fit.
  fitted(id: number, pixels: number, measure: (text: string) => number): string {
    const text = this.boxes[id];
    if (text === undefined || text === "") return "";
    let width = this.widths[id] as number;
    if (width < 0) {
      width = measure(text);
      this.widths[id] = width;
    }
    if (width <= pixels) return text;
    // Widths in steps, so that zooming finds what was shortened before.
    const room = pixels < 120 ? Math.floor(pixels / 3) * 3 : Math.floor(pixels / 12) * 12;
    const key = id * 4096 + Math.min(room, 4095);
    let fitted = this.short.get(key);
    if (fitted === undefined) {
      if (this.short.size > SHORT_KEPT) this.short.clear();
      fitted = shorten(text, room, width / text.length, measure);
      this.short.set(key, fitted);
    }
    return fitted;
  }

  // After a change of font.
  forgetWidths(): void {
    this.widths.fill(-1);
    this.short.clear();
  }
}

// The number is what tells steps apart; of operators and kernels it is what follows the namespaces.
const COMMON = /^(ProfilerStep(?=#)|aten::|at::native::|autograd::engine::evaluate_function: )/;
const BOTH_ENDS = 10; // letters from which on the end of a name is shown, too

function shorten(text: string, room: number, letterWidth: number, measure: (text: string) => number): string {
  const own = text.replace(COMMON, "");
  if (own !== text && own !== "" && measure(own) <= room) return own;
  for (let letters = Math.min(own.length - 1, Math.ceil(room / letterWidth) + 1); letters >= 3; letters--) {
    const short = letters >= BOTH_ENDS ? shortenMiddle(own, letters) : `${own.slice(0, letters - 1)}…`;
    if (measure(short) <= room) return short;
  }
  return "";
}

const SHORT_KEPT = 20_000;

function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return (value ^ (value >>> 15)) >>> 0;
}
