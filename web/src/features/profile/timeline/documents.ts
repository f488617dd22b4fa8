// SPDX-License-Identifier: Apache-2.0
// The timeline's JSON documents as the page uses them (docs/http-api.md, Events). What a server leaves out is
// empty here, so that the panels need not ask twice.

export interface Place {
  readonly file: number;
  readonly row: number;
  readonly track: number;
  readonly depth: number;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly name: string;
}
export interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number | null;
}
export interface ArrowDocument {
  readonly kind: string;
  readonly from: Place;
  readonly to: Place;
}
export interface EventDocument extends Place {
  readonly category: string;
  readonly self_ns: number | null;
  readonly arguments: readonly (readonly [string, string])[];
  readonly shapes: string;
  readonly stack: readonly Frame[];
  readonly parents: readonly Place[];
  readonly children: readonly Place[];
  readonly operator: Place | null; // that led to it
  readonly call: Place | null; // of the runtime that launched it
  readonly launched: readonly Place[];
  readonly launched_count: number; // of all: the lists are cut
  readonly child_count: number;
  readonly arrows: readonly ArrowDocument[];
  readonly source: Frame | null;
}
export interface SearchDocument {
  readonly total: number;
  readonly byArguments: boolean; // it holds conditions, not only text of names
  readonly notKept: readonly string[]; // what looks like a condition, but was looked for in names
  readonly names: readonly { readonly name: string; readonly count: number }[];
  readonly matches: readonly Place[];
}
export interface SelectionDocument {
  readonly by_name: readonly Share[];
  readonly names_total: number; // sent or not
  readonly by_category: readonly Share[];
  readonly tracks: readonly {
    readonly track: number;
    readonly busy_ns: number;
    readonly idle_ns: number;
    readonly spans: number;
  }[];
}
export interface Share {
  readonly name: string;
  readonly category: string;
  readonly count: number;
  readonly total_ns: number;
  readonly self_ns: number; // without what lies inside; adds up
}

type Loose = Readonly<Record<string, unknown>>;
const loose = (value: unknown): Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown, other = 0): number =>
  typeof value === "number" ? value : typeof value === "string" && value !== "" ? Number(value) : other;
const text = (value: unknown): string => (typeof value === "string" ? value : "");

// Values as the file has them: text as it is, the rest as JSON.
export const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function readPlace(value: unknown): Place {
  const from = loose(value);
  return {
    file: number(from.file),
    row: number(from.row),
    track: number(from.track, -1),
    depth: number(from.depth),
    start_ns: number(from.start_ns),
    duration_ns: number(from.duration_ns),
    name: text(from.name),
  };
}
const readOptional = (value: unknown): Place | null =>
  typeof value === "object" && value !== null && "row" in value ? readPlace(value) : null;

// A frame is an object, or a line such as "train.py(12): forward" or "File "a.py", line 3, in f".
export function readFrame(value: unknown): Frame {
  if (typeof value !== "string") {
    const from = loose(value);
    const line = from.line === null || from.line === undefined ? null : number(from.line);
    return { name: text(from.name) || text(from.function), file: text(from.path ?? from.file), line };
  }
  const short = /^(.*)\((\d+)\)(?::\s*(.*))?$/.exec(value);
  if (short) return { file: short[1] ?? "", line: Number(short[2]), name: short[3] ?? "" };
  const long = /^File "(.*)", line (\d+)(?:, in (.*))?$/.exec(value.trim());
  if (long) return { file: long[1] ?? "", line: Number(long[2]), name: long[3] ?? "" };
  return { name: value, file: "", line: null };
}

function readShapes(value: unknown): string {
  if (value === null || value === undefined) return "";
  const words = shown(value);
  return words === "[]" ? "" : words.replaceAll(",", ", ").replaceAll(",  ", ", ");
}

export function readEvent(value: unknown): EventDocument {
  const from = loose(value);
  const args = from.arguments ?? from.args;
  const pairs = Array.isArray(args)
    ? args.map((pair) => (Array.isArray(pair) ? pair : [loose(pair).name, loose(pair).value]))
    : Object.entries(loose(args));
  const source = from.source ? readFrame(from.source) : null;
  return {
    ...readPlace(value),
    category: text(from.category),
    self_ns: from.self_ns === null || from.self_ns === undefined ? null : number(from.self_ns),
    arguments: pairs.map(([key, entry]) => [String(key), shown(entry)] as const),
    shapes: readShapes(from.shapes ?? from.input_shapes),
    stack: list(from.stack).map(readFrame),
    parents: list(from.parents).map(readPlace),
    children: list(from.children).map(readPlace),
    operator: readOptional(from.operator ?? from.launching_operator),
    call: readOptional(from.call ?? from.launch ?? from.launching_call),
    launched: list(from.launched).map(readPlace),
    launched_count: number(from.launched_count),
    child_count: number(from.child_count),
    arrows: list(from.arrows).map((arrow) => ({
      kind: text(loose(arrow).kind),
      from: readPlace(loose(arrow).from),
      to: readPlace(loose(arrow).to),
    })),
    source: source && source.file !== "" ? source : null,
  };
}

export function readSearch(value: unknown): SearchDocument {
  const from = loose(value);
  return {
    total: number(from.total),
    byArguments: from.by_arguments === true,
    notKept: list(from.not_kept).map(text),
    names: list(from.names).map((entry) => ({
      name: text(loose(entry).name),
      count: number(loose(entry).count),
    })),
    matches: list(from.matches).map(readPlace),
  };
}

function readShare(value: unknown): Share {
  const from = loose(value);
  return {
    name: text(from.name),
    category: text(from.category),
    count: number(from.count ?? from.events),
    total_ns: number(from.total_ns ?? from.duration_ns),
    self_ns: number(from.self_ns ?? from.total_ns ?? from.duration_ns),
  };
}

export function readSelection(value: unknown): SelectionDocument {
  const from = loose(value);
  return {
    by_name: list(from.by_name ?? from.names).map(readShare),
    names_total: number(from.names_total),
    by_category: list(from.by_category ?? from.categories).map(readShare),
    tracks: list(from.tracks).map((entry) => ({
      track: number(loose(entry).track ?? loose(entry).id, -1),
      busy_ns: number(loose(entry).busy_ns),
      idle_ns: number(loose(entry).idle_ns),
      spans: number(loose(entry).spans ?? loose(entry).count),
    })),
  };
}
