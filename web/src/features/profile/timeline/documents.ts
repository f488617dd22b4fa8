// SPDX-License-Identifier: Apache-2.0
// The timeline's JSON documents, as far as the page uses them (docs/http-api.md, Events).
import { shapesText } from "../../../lib/stack";

export interface Place {
  readonly file: number;
  readonly row: number;
  readonly track: number;
  readonly depth: number;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly name: string;
}
interface Frame {
  readonly name: string;
  readonly path: string | null;
  readonly line: number | null;
}
export interface EventDocument extends Place {
  readonly category: string;
  readonly self_ns: number | null;
  readonly arguments: unknown; // as the file has them; null: they cannot be read
  readonly input_shapes?: unknown;
  readonly stack: readonly Frame[];
  readonly parents: readonly Place[];
  readonly children: readonly Place[];
  readonly operator: Place | null; // that led to it
  readonly launch: Place | null; // the call of the runtime that launched it
  readonly launched: readonly Place[];
  readonly launched_count: number; // of all: the lists are cut
  readonly child_count: number;
  readonly arrows: readonly { readonly kind: string; readonly from: Place; readonly to: Place }[];
  readonly source: Frame | null;
}
export interface SearchDocument {
  readonly total: number;
  readonly by_arguments: boolean; // it holds conditions, not only text of names
  readonly not_kept: readonly string[]; // what looks like a condition, but was looked for in names
  readonly matches: readonly Place[];
}
export interface SelectionDocument {
  readonly names: readonly Share[];
  readonly names_total: number; // sent or not
  readonly categories: readonly Share[];
  readonly tracks: readonly { readonly track: number; readonly busy_ns: number; readonly idle_ns: number }[];
}
export interface Share {
  readonly name?: string; // none: a whole category
  readonly category: string;
  readonly count: number;
  readonly total_ns: number;
  readonly self_ns: number; // without what lies inside; adds up
}

// Values as the file has them: text as it is, the rest as JSON.
const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export const argumentsOf = ({ arguments: of }: EventDocument): readonly (readonly [string, string])[] =>
  typeof of === "object" && of !== null ? Object.entries(of).map(([key, value]) => [key, shown(value)]) : [];

export function shapesOf(event: EventDocument): string {
  const text = shapesText(event.input_shapes) ?? "";
  return text === "[]" ? "" : text;
}
