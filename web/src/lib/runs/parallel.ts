// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: an axis for each value, numbers by their size (by magnitude where they span decades), words in
// their order; a line for each run.
import { naturally } from "./tags";

export type Cell = string | number | boolean | null | undefined;

export interface ParallelAxis {
  readonly name: string;
  readonly kind: "number" | "log" | "word";
  readonly words: readonly string[]; // of a word axis, from the top
  readonly min: number;
  readonly max: number;
}

export function parallelAxis(name: string, values: readonly Cell[]): ParallelAxis {
  const given = values.filter((v) => v !== null && v !== undefined);
  const numbers = given.filter((v): v is number => typeof v === "number" && Number.isFinite(v));
  if (given.length > 0 && given.every((v) => typeof v === "number")) {
    const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
    const log = min > 0 && max / min >= 100;
    return { name, kind: log ? "log" : "number", words: [], min, max };
  }
  const words = [...new Set(given.map(String))].toSorted(naturally);
  return { name, kind: "word", words, min: 0, max: Math.max(0, words.length - 1) };
}

// 0 at the top, 1 at the bottom; null: it has no value. Large numbers are at the top.
export function placeOn(axis: ParallelAxis, value: Cell): number | null {
  if (value === null || value === undefined) return null;
  if (axis.kind === "word") {
    const at = axis.words.indexOf(String(value));
    return at < 0 ? null : axis.words.length < 2 ? 0.5 : at / (axis.words.length - 1);
  }
  const number = Number(value);
  if (!Number.isFinite(number)) return null;
  if (axis.max === axis.min) return 0.5;
  if (axis.kind === "log") return 1 - Math.log(number / axis.min) / Math.log(axis.max / axis.min);
  return 1 - (number - axis.min) / (axis.max - axis.min);
}

export type Brush = readonly [top: number, bottom: number]; // places

export const passes = (
  axes: readonly ParallelAxis[],
  values: readonly Cell[],
  brushes: ReadonlyMap<string, Brush>,
): boolean =>
  axes.every((axis, i) => {
    const brush = brushes.get(axis.name);
    if (brush === undefined) return true;
    const at = placeOn(axis, values[i]);
    return at !== null && at >= brush[0] - 1e-9 && at <= brush[1] + 1e-9;
  });
