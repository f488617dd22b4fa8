// SPDX-License-Identifier: Apache-2.0
// What lines have at a place in x, in the order that one wants to read it in.
import { type Line, nearest } from "./points";
import { naturally } from "./tags";

export interface Reading {
  readonly line: number; // which of the lines
  readonly name: string;
  readonly point: number;
  readonly value: number; // as drawn
  readonly raw: number;
  readonly x: number;
}

export type LegendOrder = "nearest" | "descending" | "ascending" | "name";

export function readings(
  lines: readonly Line[],
  names: readonly string[],
  at: number,
  smoothed: boolean,
): readonly Reading[] {
  const list: Reading[] = [];
  lines.forEach((line, i) => {
    const point = nearest(line, at);
    if (point < 0) return;
    const raw = line.y[point] as number;
    const value = smoothed ? (line.smoothed[point] as number) : raw;
    list.push({ line: i, name: names[i] ?? "", point, value, raw, x: line.x[point] as number });
  });
  return list;
}

export function inOrder(
  list: readonly Reading[],
  order: LegendOrder,
  value: number | null, // under the pointer
): readonly Reading[] {
  const by = (a: Reading, b: Reading): number => {
    if (order === "name") return naturally(a.name, b.name);
    if (order === "nearest" && value !== null) return Math.abs(a.value - value) - Math.abs(b.value - value);
    return order === "ascending" ? a.value - b.value : b.value - a.value;
  };
  return list.toSorted((a, b) => by(a, b) || naturally(a.name, b.name));
}
