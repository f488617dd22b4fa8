// SPDX-License-Identifier: Apache-2.0
// Which lines of a very long list are in view. A page can only be so many pixels high; beyond that a pixel of the
// scroll bar stands for more than a pixel of the list, and the list is moved by lines.

export const ROW = 20; // px, as in logs.css
export const MOST_PX = 8_000_000; // browsers lose precision, and then the element, above 16 million

export interface LogView {
  readonly lines: number;
  readonly height: number; // of what is seen
}

export const heightOf = ({ lines }: Pick<LogView, "lines">): number => Math.min(lines * ROW, MOST_PX);
const rowsSeen = (height: number): number => Math.max(1, height / ROW);
const farthest = ({ lines, height }: LogView): number => Math.max(0, lines - rowsSeen(height));

export const isScaled = (view: LogView): boolean => view.lines * ROW > MOST_PX;

// The first line in view, with its fraction, by how far the element is scrolled, and the other way round.
export function topAt(view: LogView, scrolled: number): number {
  if (!isScaled(view)) return Math.max(0, Math.min(farthest(view), scrolled / ROW));
  const range = heightOf(view) - view.height;
  return range <= 0 ? 0 : (Math.max(0, Math.min(range, scrolled)) / range) * farthest(view);
}
export function scrollOf(view: LogView, top: number): number {
  const line = Math.max(0, Math.min(farthest(view), top));
  if (!isScaled(view)) return line * ROW;
  const most = farthest(view);
  return most === 0 ? 0 : (line / most) * (heightOf(view) - view.height);
}

// Lines to draw: those in view and a few more; `shift` is where the first of them stands below what is scrolled.
export interface Drawn {
  readonly first: number;
  readonly last: number; // exclusive
  readonly offset: number; // px from the top of the list
}
const SPARE = 12;
export function drawn(view: LogView, scrolled: number, top = topAt(view, scrolled)): Drawn {
  const first = Math.max(0, Math.floor(top) - SPARE);
  const last = Math.min(view.lines, Math.ceil(top + rowsSeen(view.height)) + SPARE);
  return { first, last, offset: scrolled + (first - top) * ROW };
}

// A line comes into view with some of what led there above it.
export const topFor = (view: LogView, line: number): number =>
  Math.max(0, Math.min(farthest(view), line - rowsSeen(view.height) / 3));
export const isSeen = (view: LogView, top: number, line: number): boolean =>
  line >= top && line + 1 <= top + rowsSeen(view.height);
export const endOf = (view: LogView): number => farthest(view);
