// SPDX-License-Identifier: Apache-2.0
// The page's colours as a canvas needs them: read from the CSS variables, again when the theme changes. Each
// category (or, as a choice, each name) has a few shades close to its one colour, so that neighbours can be told apart, and a dimmed form.

import { between, css, DARK_INK, LIGHT_INK, luminance, parseColour, type Rgb } from "../lib/colour";
import { TONES } from "../lib/tones";

export const SHADES = 3;
const AREA_ALPHA = 56;

export interface Palette {
  readonly byName: boolean; // a colour for each name instead of one for each category
  // Per colour (a category's, or one of the tones for names) and shade, first lit, then (at `dimmed`) dimmed.
  readonly fills: readonly string[];
  readonly colours: Uint32Array; // the same as pixels, ABGR
  readonly dimmed: number;
  readonly darkText: Uint8Array; // per fill: 1 if text on it is dark
  readonly lightInk: string;
  readonly darkInk: string;
  readonly dimInk: string;
  readonly bg: string;
  readonly panel: string;
  readonly hover: string;
  readonly border: string;
  readonly faint: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly accentText: string;
  readonly bad: string;
  readonly warn: string;
  readonly raised: string;
  readonly font: string;
  readonly memory: CurveColours;
  readonly counter: CurveColours;
  readonly categories: readonly string[]; // the plain colour of each
}

export interface CurveColours {
  readonly line: number; // pixels
  readonly area: number;
}

// A pixel of ImageData on a little-endian machine, as all that browsers run on are.
export const pixel = (colour: Rgb, alpha = 255): number =>
  ((alpha << 24) | (Math.round(colour[2]) << 16) | (Math.round(colour[1]) << 8) | Math.round(colour[0])) >>>
  0;

// Which fill a box has; dimmed ones are `dimmed` further on.
export function fillOf(palette: Palette, category: number, hash: number): number {
  if (!palette.byName) return category * SHADES + (hash % SHADES);
  return (hash % TONES.length) * SHADES + (Math.floor(hash / TONES.length) % SHADES);
}

export function readPalette(root: HTMLElement, categories: readonly string[], byName: boolean): Palette {
  const probe = document.createElement("span");
  probe.style.display = "none";
  root.append(probe);
  const read = (name: string): Rgb => {
    probe.style.color = `var(--${name})`;
    return parseColour(getComputedStyle(probe).color);
  };
  const panel = read("panel");
  const ink = read("text");
  const border = read("border");
  const lit: Rgb[] = [];
  const dim: Rgb[] = [];
  const plain: string[] = [];
  for (const category of categories) plain.push(css(read(`c-${category}`)));
  for (const text of byName ? TONES : plain) {
    const colour = parseColour(text);
    // Towards the text's colour: the ink that suits the plain colour suits these even better.
    const shades = [colour, between(colour, ink, 0.09), between(colour, ink, 0.18)];
    for (const shade of shades) {
      lit.push(shade);
      dim.push(between(shade, panel, 0.84));
    }
  }
  const all = [...lit, ...dim];
  const font = getComputedStyle(root).fontFamily;
  const palette: Palette = {
    byName,
    fills: all.map(css),
    colours: Uint32Array.from(all, (colour) => pixel(colour)),
    dimmed: lit.length,
    // Above this luminance black has the better contrast (WCAG), below it white.
    darkText: Uint8Array.from(all, (_, i) => (luminance(all[i - (i % SHADES)] as Rgb) > 0.18 ? 1 : 0)),
    lightInk: LIGHT_INK,
    darkInk: DARK_INK,
    dimInk: css(between(read("muted"), panel, 0.35)),
    bg: css(read("bg")),
    panel: css(panel),
    hover: css(read("hover")),
    border: css(border),
    faint: css(between(border, panel, 0.5)),
    text: css(ink),
    muted: css(read("muted")),
    accent: css(read("accent")),
    accentText: css(read("accent-text")),
    bad: css(read("bad")),
    warn: css(read("warn")),
    raised: css(read("raised")),
    font,
    memory: { line: pixel(read("accent")), area: pixel(read("accent"), AREA_ALPHA) },
    counter: { line: pixel(read("muted")), area: pixel(read("muted"), AREA_ALPHA) },
    categories: plain,
  };
  probe.remove();
  return palette;
}
