// SPDX-License-Identifier: Apache-2.0
// Orders of a table: by one column or several, as text that fits an address ("-device_self_ns,name").
import type { CellValue } from "./csv";

export interface SortKey {
  readonly key: string;
  readonly descending: boolean;
}

export function parseSort(text: string | undefined): readonly SortKey[] {
  if (!text) return [];
  return text
    .split(",")
    .filter((part) => part !== "" && part !== "-")
    .map((part) =>
      part.startsWith("-") ? { key: part.slice(1), descending: true } : { key: part, descending: false },
    );
}

export function sortText(keys: readonly SortKey[]): string {
  return keys.map(({ key, descending }) => (descending ? `-${key}` : key)).join(",");
}

// After a click on a column's title: numbers start with the largest, text from A; a second click turns it round.
// With `add` the column comes after those that are there.
export function clicked(
  keys: readonly SortKey[],
  key: string,
  numeric: boolean,
  add: boolean,
): readonly SortKey[] {
  const at = keys.findIndex((k) => k.key === key);
  const current = keys[at];
  const next = { key, descending: current ? !current.descending : numeric };
  if (!add) return [next];
  return current ? keys.map((k, i) => (i === at ? next : k)) : [...keys, next];
}

const collator = new Intl.Collator("en", { numeric: true });

// What is missing comes last, whichever way round.
export function compareValues(a: CellValue, b: CellValue, descending: boolean): number {
  const noA = a === null || a === undefined || (typeof a === "number" && Number.isNaN(a));
  const noB = b === null || b === undefined || (typeof b === "number" && Number.isNaN(b));
  if (noA || noB) return noA && noB ? 0 : noA ? 1 : -1;
  let order: number;
  if (typeof a === "string" || typeof b === "string") {
    const x = String(a);
    const y = String(b);
    order = x === y ? 0 : collator.compare(x.slice(0, 400), y.slice(0, 400));
  } else order = Number(a) - Number(b);
  return descending ? -order : order;
}

// Positions 0…count-1 (or those given) in the asked order; equal ones keep theirs.
export function sortedPositions(
  positions: readonly number[],
  keys: readonly { readonly descending: boolean; readonly value: (position: number) => CellValue }[],
): number[] {
  const result = positions.slice();
  if (keys.length === 0) return result;
  // Values are read once: a column's function may be slow, and 100,000 rows compare a million times.
  const columns = keys.map((k) => {
    const values = new Map<number, CellValue>();
    for (const p of positions) values.set(p, k.value(p));
    return { descending: k.descending, values };
  });
  return result.sort((a, b) => {
    for (const { descending, values } of columns) {
      const order = compareValues(values.get(a), values.get(b), descending);
      if (order !== 0) return order;
    }
    return a - b;
  });
}
