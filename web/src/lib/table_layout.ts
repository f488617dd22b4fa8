// SPDX-License-Identifier: Apache-2.0
// How wide the columns of a table are: between what their content needs and what looks best. Lengths of text are
// estimated, which is quicker than measuring and close enough for figures of one width.
export interface Extent {
  readonly title: string;
  readonly unit: string; // beside the title; "" where there is none
  readonly longest: string | null; // the longest number; null: a column of text
  readonly width: number | null; // px that the page asks for
  readonly fixed: boolean; // draws more than the value: needs the width that is asked for
  readonly spare?: number; // may be left out, the highest first; none: stays
  readonly symbols?: boolean; // names of code: longer than others
}

const PADDING = 21; // px, both sides
const CHARACTER = 7.4; // px of a figure or an average letter at 13 px
const HEAD_CHARACTER = 7.1; // bold, 12 px
const SPARE = 0.6; // more than the average, for a title on one line
const NUMBER = 96; // px of a column of numbers that asks for nothing
const TEXT = 260; // px that a column of text would like
const NAME = 420; // and the first column
const LEAST_TEXT = 130;
const LEAST_NAME = 190; // the first column: below this a kernel's name says nothing
const EASY_NAME = 200; // the first column, before others grow and if need be instead of others
const EASY_SYMBOL = 300; // and if it names code, of which there is more
const LEAST_SHARE = 0.62; // of its width that a column of text may shrink to
const SHORT_TEXT = 110; // px: a word that cut off would say nothing

export interface Width {
  readonly least: number;
  readonly best: number | null; // null: takes the room that is left
}

// A title takes two lines where there is little room: its longest word counts.
export function columnWidth({ title, unit, longest, width, fixed }: Extent): Width {
  const words = [...title.split(" "), unit];
  const word = Math.max(...words.map((w) => w.length)) * HEAD_CHARACTER + PADDING;
  const line = words.filter((w) => w !== "").join(" ").length * (HEAD_CHARACTER + SPARE) + PADDING;
  if (longest === null) {
    if (width === null) return { least: LEAST_TEXT, best: null };
    const whole = fixed || width <= SHORT_TEXT;
    return { least: Math.ceil(whole ? width : Math.max(word, width * LEAST_SHARE)), best: width };
  }
  const number = longest.length * CHARACTER + PADDING;
  const least = Math.ceil(Math.max(word, number));
  const best = Math.ceil(Math.max(line, number, width ?? NUMBER));
  return { least: fixed ? best : least, best };
}

const widthsOf = (extents: readonly Extent[]): readonly Width[] =>
  extents.map(columnWidth).map((w, i) => (i === 0 && w.best === null ? { ...w, least: LEAST_NAME } : w));

const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);

// Narrower than this in px a table scrolls sideways.
export const leastWidth = (extents: readonly Extent[]): number => sum(widthsOf(extents).map((w) => w.least));

function easyWidth(extent: Extent, i: number): number {
  const { least, best } = columnWidth(extent);
  if (best !== null) return least;
  return i === 0 ? (extent.symbols ? EASY_SYMBOL : EASY_NAME) : extent.symbols ? EASY_NAME : least;
}

// Which columns there is room for, in px: those that can be spared go, the highest number first, of equal ones the
// last, until the rest need not scroll and names can be read.
export function columnsThatFit(extents: readonly Extent[], room: number): readonly boolean[] {
  const least = extents.map((extent, i) => easyWidth(extent, i));
  const kept = extents.map(() => true);
  const order = extents
    .map((extent, i) => ({ i, spare: extent.spare ?? 0 }))
    .filter(({ i, spare }) => i > 0 && spare > 0)
    .sort((a, b) => b.spare - a.spare || b.i - a.i);
  let needed = sum(least);
  for (const { i } of order) {
    if (needed <= room) break;
    kept[i] = false;
    needed -= least[i] as number;
  }
  return kept;
}

// For grid-template-columns, inside of a container whose width counts. First the names grow until they can be read;
// between that and all the best widths together each column grows by its part of the room there is; beyond, text
// takes the rest.
export function columnTracks(extents: readonly Extent[]): string {
  const widths = widthsOf(extents);
  const easy = extents.map(easyWidth);
  const least = sum(easy);
  const growth = sum(
    widths.map((w, i) => Math.max(0, (w.best ?? (i === 0 ? NAME : TEXT)) - (easy[i] as number))),
  );
  const flexible = widths.some((w) => w.best === null);
  return widths
    .map((w, i) => {
      if (w.best === null || (!flexible && i === 0)) return `minmax(${w.least}px, 1fr)`;
      if (w.least >= w.best) return `${w.least}px`;
      const part = ((w.best - w.least) / growth).toFixed(4);
      return `clamp(${w.least}px, ${w.least}px + (100cqi - ${least}px) * ${part}, ${w.best}px)`;
    })
    .join(" ");
}
