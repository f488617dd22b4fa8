// SPDX-License-Identifier: Apache-2.0
// What of a timeline is lit while the rest is dimmed: some categories, some names, or (null) everything.
import type { NameTable } from "./timeline_names";

// What the step's breakdown calls otherwise.
const HELD_BY: Readonly<Record<string, readonly string[]>> = {
  cpu_exec: ["operator"],
  other: ["annotation", "python", "other"],
};

// `asked`: categories between commas. Those that are not known are left out; none known lights all.
export function litCategories(categories: readonly string[], asked: string): Uint8Array | null {
  const wanted = asked.split(",").flatMap((category) => HELD_BY[category] ?? category);
  const lit = Uint8Array.from(categories, (category) => (wanted.includes(category) ? 1 : 0));
  return lit.includes(1) ? lit : null;
}

// Names that are `text`, or hold it in either case.
export function litNames(names: NameTable, text: string, exact: boolean): Uint8Array | null {
  if (text === "") return null;
  const part = text.toLowerCase();
  const lit = new Uint8Array(names.size);
  for (let id = 0; id < lit.length; id++) {
    const name = names.text(id).toLowerCase();
    lit[id] = (exact ? name === part : name.includes(part)) ? 1 : 0;
  }
  return lit;
}
