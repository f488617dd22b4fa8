// SPDX-License-Identifier: Apache-2.0
// A call tree as columns: node i has a parent, a function, a least and a greatest total. Of a profile that only
// has pairs of caller and callee the two differ, and what lies between is not known; it is never filled in.

export interface FunctionPlace {
  readonly file: string;
  readonly line: number | null;
  readonly name: string;
  readonly own?: boolean; // no library's
  readonly package?: string; // what functions of one place have in common; "": not known
  readonly number?: number; // how the server calls it
}

export interface CallTree {
  readonly source: "pairs" | "tree";
  readonly unit: string; // "ns", or what the profile counts
  readonly total: number;
  readonly functions: readonly FunctionPlace[];
  readonly ids: readonly string[]; // how the server calls the node
  readonly parent: Int32Array; // -1: a root
  readonly fn: Int32Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly self: Float64Array; // NaN: not determined
  readonly calls: Float64Array; // NaN: not determined
  readonly recursive: Uint8Array;
  readonly hidden: Float64Array; // children that were left out
  readonly firstChild: Int32Array; // -1: none; children of a node stand in order of their greatest total
  readonly nextSibling: Int32Array;
  readonly roots: readonly number[];
}

// A node of a tree that the page makes itself.
export interface PlainNode {
  readonly parent: number | null; // an index
  readonly function?: number; // an index; without it the place below
  readonly file?: string;
  readonly line?: number | null;
  readonly name?: string;
  readonly calls?: number | null;
  readonly self?: number | null;
  readonly total?: number;
  readonly low?: number; // where the total is not known
  readonly high?: number;
}

export interface PlainTree {
  readonly source: "pairs" | "tree";
  readonly unit?: string;
  readonly total: number;
  readonly functions?: readonly FunctionPlace[];
  readonly nodes: readonly PlainNode[];
}

type Column = readonly (number | null)[];
const numbers = (column: Column): Float64Array => Float64Array.from(column, (value) => value ?? Number.NaN);

export function buildTree(plain: PlainTree): CallTree {
  const functions: FunctionPlace[] = [...(plain.functions ?? [])];
  const known = new Map<string, number>();
  const place = (node: PlainNode): number => {
    if (node.function !== undefined) return node.function;
    const made = { file: node.file ?? "", line: node.line ?? null, name: node.name ?? "" };
    const key = functionKey(made);
    let index = known.get(key);
    if (index === undefined) {
      index = functions.length;
      known.set(key, index);
      functions.push(made);
    }
    return index;
  };
  const { nodes } = plain;
  const fn = Int32Array.from(nodes, place);
  const parent = Int32Array.from(nodes, (node) => node.parent ?? -1);
  const high = Float64Array.from(nodes, (node) => node.high ?? node.total ?? 0);
  return {
    source: plain.source,
    unit: plain.unit ?? "ns",
    total: plain.total,
    functions,
    ids: nodes.map((_, i) => String(i)),
    parent,
    fn,
    low: Float64Array.from(nodes, (node) => node.low ?? node.total ?? 0),
    high,
    self: numbers(nodes.map((node) => node.self ?? null)),
    calls: numbers(nodes.map((node) => node.calls ?? null)),
    recursive: new Uint8Array(nodes.length),
    hidden: new Float64Array(nodes.length),
    ...linked(parent, high),
  };
}

// The server's answer: columns of nodes and a list of functions (docs/http-api.md).
export interface NodeColumns {
  readonly id: readonly number[];
  readonly parent: readonly number[];
  readonly function: readonly number[];
  readonly total_low: readonly number[];
  readonly total_high: readonly number[];
  readonly self: Column;
  readonly calls: Column;
  readonly recursive: readonly number[];
  readonly hidden: readonly number[];
}
export interface ListedFunction {
  readonly function: number;
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly own_code: boolean;
  readonly package: string;
}
export interface TreeHead {
  readonly source: "pairs" | "tree";
  readonly unit: string;
  readonly total: number | null;
  readonly functions: readonly ListedFunction[];
}

export const placesOf = (functions: readonly ListedFunction[]): FunctionPlace[] =>
  functions.map((f) => ({
    file: f.file ?? "",
    line: f.line,
    name: f.name,
    own: f.own_code,
    package: f.package,
    number: f.function,
  }));

export function treeOfColumns(
  head: TreeHead,
  nodes: NodeColumns,
  functions = placesOf(head.functions),
): CallTree {
  const parent = Int32Array.from(nodes.parent);
  const high = Float64Array.from(nodes.total_high);
  return {
    source: head.source,
    unit: head.unit,
    total: head.total ?? 0,
    functions,
    ids: nodes.id.map(String),
    parent,
    fn: Int32Array.from(nodes.function),
    low: Float64Array.from(nodes.total_low),
    high,
    self: numbers(nodes.self),
    calls: numbers(nodes.calls),
    recursive: Uint8Array.from(nodes.recursive),
    hidden: Float64Array.from(nodes.hidden),
    ...linked(parent, high),
  };
}

function linked(parent: Int32Array, high: Float64Array) {
  const n = parent.length;
  const firstChild = new Int32Array(n).fill(-1);
  const nextSibling = new Int32Array(n).fill(-1);
  const order = Array.from({ length: n }, (_, i) => i).sort(
    (a, b) => (high[a] as number) - (high[b] as number) || b - a,
  );
  const roots: number[] = [];
  for (const i of order) {
    const p = parent[i] as number;
    if (p < 0) roots.push(i);
    else {
      nextSibling[i] = firstChild[p] as number;
      firstChild[p] = i;
    }
  }
  return { firstChild, nextSibling, roots: roots.reverse() };
}

export const functionKey = (f: FunctionPlace): string => `${f.file}:${f.line ?? ""}:${f.name}`;

export function* children(tree: CallTree, node: number): Generator<number> {
  if (node < 0) {
    yield* tree.roots;
    return;
  }
  for (let c = tree.firstChild[node] as number; c >= 0; c = tree.nextSibling[c] as number) yield c;
}

// From a root to the node, the node last. Node -1 is everything.
export function pathTo(tree: CallTree, node: number): number[] {
  const path: number[] = [];
  for (let i = node; i >= 0; i = tree.parent[i] as number) path.push(i);
  return path.reverse();
}

export function highOf(tree: CallTree, node: number): number {
  return node >= 0
    ? (tree.high[node] as number)
    : tree.roots.reduce((s, r) => s + (tree.high[r] as number), 0);
}

// Finds by the words of a search: name or file.
export function findFunctions(
  functions: readonly FunctionPlace[],
  query: string,
): ReadonlySet<number> | null {
  const text = query.trim().toLowerCase();
  if (text === "") return null;
  return new Set(functions.flatMap((f, i) => (functionKey(f).toLowerCase().includes(text) ? [i] : [])));
}
