// SPDX-License-Identifier: Apache-2.0
// Colours for things without a fixed one: a name keeps its colour from view to view and day to day. The tones are
// Paul Tol's "light" scheme, told apart by colour-blind eyes, with dark text; libraries are the same tones drawn
// towards the ground, with the page's text.

export const TONES = ["#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#cc99dd"] as const;

// FNV-1a.
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    h ^= text.charCodeAt(i);
    h = Math.imul(h, 0x01000193);
  }
  return h >>> 0;
}

const NEUTRAL = "#b0b6be"; // they belong to nobody
export const toneOf = (name: string): string =>
  name === "built-in" || name === "no file" ? NEUTRAL : (TONES[hash(name) % TONES.length] as string);

type Rgb = readonly [number, number, number];

export function parseColour(text: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(text)?.[1];
  if (hex !== undefined) {
    const v = Number.parseInt(hex, 16);
    return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
  }
  const parts =
    /rgba?\(([^)]+)\)/
      .exec(text)?.[1]
      ?.split(/[ ,/]+/)
      .map(Number) ?? [];
  return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
}

// `share` of a, the rest of b.
export function mix(a: string, b: string, share: number): string {
  const [x, y] = [parseColour(a), parseColour(b)];
  const c = x.map((v, i) => Math.round(v * share + (y[i] as number) * (1 - share)));
  return `rgb(${c.join(",")})`;
}

function channel(value: number): number {
  const v = value / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}
export function luminance(colour: string): number {
  const [r, g, b] = parseColour(colour);
  return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
}
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
// Of dark and light the one that reads better on the colour.
export function textOn(colour: string): string {
  return contrast(colour, "#10151c") >= contrast(colour, "#ffffff") ? "#10151c" : "#ffffff";
}
