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
