// SPDX-License-Identifier: Apache-2.0
// Colours as numbers: what a style sheet computes, read; two of them mixed; what is legible on one.

export type Rgb = readonly [number, number, number];

// "#77aadd", "rgb(119, 170, 221)" or "color(srgb 0.1 0.2 0.3)".
export function parseColour(text: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(text)?.[1];
  if (hex !== undefined) {
    const v = Number.parseInt(hex, 16);
    return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
  }
  const [r = 0, g = 0, b = 0] = text.match(/[\d.]+/g)?.map(Number) ?? [];
  const scale = text.startsWith("color(") ? 255 : 1;
  return [r * scale, g * scale, b * scale];
}

export const css = (colour: Rgb): string => `rgb(${colour.map(Math.round).join(",")})`;

// From a (0) to b (1).
export const between = (a: Rgb, b: Rgb, share: number): Rgb => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];
// `share` of a, the rest of b.
export const mix = (a: string, b: string, share: number): string =>
  css(between(parseColour(b), parseColour(a), share));

// As WCAG has it.
export function luminance(colour: Rgb): number {
  const [r = 0, g = 0, b = 0] = colour.map((value) => {
    const v = value / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(parseColour(a)), luminance(parseColour(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

export const LIGHT_INK = "#ffffff";
export const DARK_INK = "#10151c";
// Of dark and light the one that reads better on the colour.
export const textOn = (colour: string): string =>
  contrast(colour, DARK_INK) >= contrast(colour, LIGHT_INK) ? DARK_INK : LIGHT_INK;
