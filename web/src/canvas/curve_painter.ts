// SPDX-License-Identifier: Apache-2.0
// Draws a counter as steps: a filled area below the last value of each pixel, and a line over what it passed
// through within that pixel, so that no peak is lost. In device pixels.
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

export function paintCurve(
  context: CanvasRenderingContext2D,
  table: CounterTable,
  scale: CurveScale,
  origin: number,
  pixelsPerNs: number,
  from: number,
  to: number,
  y: number,
  h: number,
  ratio: number,
  colour: string,
): void {
  const size = scale.high - scale.low;
  const bottom = y + h;
  const line = Math.max(1, Math.round(1.5 * ratio));
  const left = Math.round((from - origin) * pixelsPerNs);
  const right = Math.round((to - origin) * pixelsPerNs);
  const first = Math.max(0, lastPointAt(table, from));
  context.fillStyle = colour;
  // Twice: the area pale, then the line.
  for (let pass = 0; pass < 2; pass++) {
    context.globalAlpha = pass === 0 ? 0.22 : 1;
    let previous = -1;
    for (let i = first; i < table.count; i++) {
      const begin = table.time[i] as number;
      if (begin >= to) break;
      const x0 = Math.max(left, Math.round((begin - origin) * pixelsPerNs));
      const next = i + 1 < table.count ? (table.time[i + 1] as number) : to;
      const x1 = Math.min(right, Math.round((next - origin) * pixelsPerNs));
      const value = Math.round(bottom - (((table.last[i] as number) - scale.low) / size) * h);
      if (pass === 0) {
        if (x1 > x0) context.fillRect(x0, value, x1 - x0, bottom - value);
        continue;
      }
      const top = bottom - (((table.high[i] as number) - scale.low) / size) * h;
      const deep = bottom - (((table.low[i] as number) - scale.low) / size) * h;
      const up = Math.round(previous < 0 ? top : Math.min(top, previous));
      const down = Math.round(previous < 0 ? deep : Math.max(deep, previous));
      if (x0 > left || i > first) context.fillRect(x0, up, line, Math.max(line, down - up));
      if (x1 > x0) context.fillRect(x0, value, x1 - x0, line);
      previous = value;
    }
  }
  context.globalAlpha = 1;
}
