// SPDX-License-Identifier: Apache-2.0
// Draws a counter as steps into lines of pixels: a pale area below the last value of each column, and a line over
// all it passed through within that column, so that no peak is lost.
import { type CounterTable, lastPointAt } from "../lib/spans";

export interface CurveScale {
  low: number;
  high: number;
}

// Zero is part of the scale unless values go below it.
export function scaleOf(table: CounterTable, into: CurveScale): void {
  let low = 0;
  let high = 0;
  for (let i = 0; i < table.count; i++) {
    low = Math.min(low, table.low[i] as number);
    high = Math.max(high, table.high[i] as number);
  }
  into.low = low;
  into.high = high > low ? high : low + 1;
}

// Where the lines are, and how time and values become pixels.
export interface CurveArea {
  pixels: Uint32Array;
  offset: number; // of the first pixel
  width: number;
  height: number; // lines
  origin: number; // ns
  scale: number; // pixels per ns
  ratio: number;
  line: number; // colour
  area: number;
}

export function paintCurve(
  area: CurveArea,
  table: CounterTable,
  values: CurveScale,
  from: number,
  to: number,
): void {
  const { width, height, origin, scale } = area;
  const size = values.high - values.low;
  const least = Math.max(1, Math.round(area.ratio));
  const left = Math.max(0, Math.round((from - origin) * scale));
  const right = Math.min(width, Math.round((to - origin) * scale));
  const room = height - least;
  let previous = -1;
  for (let i = Math.max(0, lastPointAt(table, from)); i < table.count; i++) {
    const begin = table.time[i] as number;
    if (begin >= to) break;
    const next = i + 1 < table.count ? (table.time[i + 1] as number) : to;
    const x0 = Math.max(left, Math.round((begin - origin) * scale));
    const x1 = Math.min(right, Math.max(x0 + 1, Math.round((next - origin) * scale)));
    const y = clamp(Math.round(room * (1 - ((table.last[i] as number) - values.low) / size)), room);
    let up = clamp(Math.round(room * (1 - ((table.high[i] as number) - values.low) / size)), room);
    let down = clamp(Math.round(room * (1 - ((table.low[i] as number) - values.low) / size)), room);
    if (begin < from) up = down = y;
    else if (previous >= 0) {
      up = Math.min(up, previous);
      down = Math.max(down, previous);
    }
    for (let x = x0; x < x1; x++) {
      if (x === x0) column(area, x, up, down + least, y);
      else column(area, x, y, y + least, y);
    }
    previous = y;
  }
}

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);

function column(area: CurveArea, x: number, up: number, down: number, y: number): void {
  const { pixels, width, height, line } = area;
  let at = area.offset + up * width + x;
  for (let row = up; row < height; row++) {
    if (row < down) pixels[at] = line;
    else if (row >= y && pixels[at] === 0) pixels[at] = area.area;
    at += width;
  }
}
