// SPDX-License-Identifier: Apache-2.0
// How wide the columns of a table are: between what their content needs and what looks best. Lengths of text are
// estimated, which is quicker than measuring and close enough for figures of one width.
export interface Extent {
  readonly title: string;
  readonly unit: string; // beside the title; "" where there is none
  readonly longest: string | null; // the longest number; null: a column of text
  readonly width: number | null; // px that the page asks for
  readonly fixed: boolean; // draws more than the value: needs the width that is asked for
}

const PADDING = 22; // px, both sides
const CHARACTER = 7.4; // px of a figure or an average letter at 13 px
const HEAD_CHARACTER = 7.1; // bold, 12 px
const SORT_MARK = 11;
const NUMBER = 96; // px of a column of numbers that asks for nothing
const TEXT = 260; // px that a column of text would like
const LEAST_TEXT = 150; // below this a name says nothing
const LEAST_SHARE = 0.62; // of its width that a column of text may shrink to

export interface Width {
  readonly least: number;
  readonly best: number | null; // null: takes the room that is left
}

export function columnWidth({ title, unit, longest, width, fixed }: Extent): Width {
  const head =
    (title.length + (unit === "" ? 0 : unit.length + 1)) * HEAD_CHARACTER +
    PADDING +
    (longest === null ? 0 : SORT_MARK);
  if (longest === null) {
    if (width === null) return { least: LEAST_TEXT, best: null };
    return { least: Math.ceil(fixed ? width : Math.max(head, width * LEAST_SHARE)), best: width };
  }
  const need = Math.ceil(Math.max(head, longest.length * CHARACTER + PADDING));
  const best = Math.max(need, width ?? NUMBER);
  return { least: fixed ? best : need, best };
}

// For grid-template-columns, inside of a container whose width counts: narrower than all the best widths together,
// columns shrink alike, each down to what it needs.
export function columnTracks(extents: readonly Extent[]): string {
  const widths = extents.map(columnWidth);
  const whole = widths.reduce((sum, w) => sum + (w.best ?? TEXT), 0);
  const flexible = widths.some((w) => w.best === null);
  return widths
    .map(({ least, best }, i) => {
      if (best === null || (!flexible && i === 0)) return `minmax(${least}px, 1fr)`;
      if (least >= best) return `${least}px`;
      return `clamp(${least}px, ${((best / whole) * 100).toFixed(2)}cqi, ${best}px)`;
    })
    .join(" ");
}
