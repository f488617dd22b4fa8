// SPDX-License-Identifier: Apache-2.0
// A line of a log with the colours that a terminal would show: pieces of text with a style each, never markup. Sequences
// that set no style are left out; other control characters become visible.
import { visible } from "../text";

export interface Style {
  readonly colour: number | null; // 0 … 7: black, red, green, yellow, blue, magenta, cyan, white; +8: bright
  readonly ground: number | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}
export interface Piece {
  readonly text: string;
  readonly style: Style;
}

export const PLAIN: Style = {
  colour: null,
  ground: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
};

// The nearest of the sixteen: themes know these, and each can be read on the page's ground.
function nearestColour(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 48) return 0;
  const least = Math.min(red, green, blue);
  if (most - least < most * 0.25) return most > 170 ? 7 : 8;
  const on = (value: number): boolean => value > (most + least) / 2;
  return (on(red) ? 1 : 0) + (on(green) ? 2 : 0) + (on(blue) ? 4 : 0) + (most > 200 && least > 60 ? 8 : 0);
}

function indexedColour(index: number): number | null {
  if (!(index >= 0 && index < 256)) return null;
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearestColour(grey, grey, grey);
  }
  const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
  const at = index - 16;
  return nearestColour(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6));
}

// The parameters of "ESC [ … m" applied to a style.
export function applied(style: Style, parameters: string): Style {
  const codes = parameters === "" ? [0] : parameters.split(/[;:]/).map((part) => Number(part || 0));
  let next = style;
  for (let i = 0; i < codes.length; ++i) {
    const code = codes[i] as number;
    if (code === 0) next = PLAIN;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 3) next = { ...next, italic: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next = { ...next, italic: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code === 39) next = { ...next, colour: null };
    else if (code >= 40 && code <= 47) next = { ...next, ground: code - 40 };
    else if (code === 49) next = { ...next, ground: null };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 82 };
    else if (code >= 100 && code <= 107) next = { ...next, ground: code - 92 };
    else if (code === 38 || code === 48) {
      let value: number | null = null;
      if (codes[i + 1] === 5) {
        value = indexedColour(codes[i + 2] ?? -1);
        i += 2;
      } else if (codes[i + 1] === 2) {
        value = nearestColour(codes[i + 2] ?? 0, codes[i + 3] ?? 0, codes[i + 4] ?? 0);
        i += 4;
      }
      next = code === 38 ? { ...next, colour: value } : { ...next, ground: value };
    }
  }
  return next;
}

// CSI with its parameters and last byte; OSC and the like up to BEL or ESC \; two-byte ones; a lone ESC at the end.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b(?:\[([0-?]*)[ -/]*([@-~]|$)|[\]P_^][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[()#].?|.|$)/gs;

const MOST_PIECES = 400; // of one line; the rest is plain

export function pieces(line: string): readonly Piece[] {
  const out: Piece[] = [];
  let style = PLAIN;
  let at = 0;
  const add = (text: string): void => {
    if (text !== "") out.push({ text: visible(text).replaceAll("␉", "\t"), style });
  };
  if (!line.includes("\u001b")) {
    add(line);
    return out;
  }
  for (const found of line.matchAll(SEQUENCE)) {
    add(line.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[2] === "m" && out.length < MOST_PIECES) style = applied(style, found[1] ?? "");
  }
  add(line.slice(at));
  return out;
}

export const plainText = (line: string): string =>
  pieces(line)
    .map(({ text }) => text)
    .join("");

export function classOf(style: Style): string {
  const names: string[] = [];
  if (style.colour !== null) names.push(`ansi-${style.colour}`);
  if (style.ground !== null) names.push("ansi-ground", `ansi-on-${style.ground % 8}`);
  if (style.bold) names.push("ansi-bold");
  if (style.dim) names.push("ansi-dim");
  if (style.italic) names.push("ansi-italic");
  if (style.underline) names.push("ansi-underline");
  return names.join(" ");
}

// Where a text stands in the pieces, as one reads them: each piece cut into parts that are it and parts that are not.
export interface MarkedPiece extends Piece {
  readonly hit: boolean;
}
export function marked(of: readonly Piece[], wanted: string): readonly MarkedPiece[] {
  if (wanted === "") return of.map((piece) => ({ ...piece, hit: false }));
  const ignoresCase = wanted === wanted.toLowerCase();
  const whole = of.map(({ text }) => text).join("");
  const text = ignoresCase ? whole.toLowerCase() : whole;
  const hits: (readonly [number, number])[] = [];
  // Lower case may have another length; then the line as a whole is all that can be said.
  if (text.length === whole.length)
    for (
      let at = text.indexOf(wanted);
      at >= 0 && hits.length < 200;
      at = text.indexOf(wanted, at + wanted.length)
    )
      hits.push([at, at + wanted.length]);
  const out: MarkedPiece[] = [];
  let begin = 0;
  let next = 0;
  for (const piece of of) {
    const end = begin + piece.text.length;
    let at = begin;
    while (at < end) {
      while (next < hits.length && (hits[next] as readonly [number, number])[1] <= at) ++next;
      const hit = hits[next];
      const inside = hit !== undefined && hit[0] <= at;
      const stop = hit === undefined ? end : Math.min(end, inside ? hit[1] : hit[0]);
      out.push({ text: piece.text.slice(at - begin, stop - begin), style: piece.style, hit: inside });
      at = stop;
    }
    begin = end;
  }
  return out;
}
