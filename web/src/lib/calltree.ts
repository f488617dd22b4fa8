// SPDX-License-Identifier: Apache-2.0
// A call tree as columns: node i has a parent, a function, a least and a greatest total. Of a profile that only
// has pairs of caller and callee the two differ, and what lies between is not known; it is never filled in.

export interface FunctionPlace {
  readonly file: string;
  readonly line: number | null;
  readonly name: string;
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

// A node as the server writes it; both spellings of the bounds occur.
export interface RawNode {
  readonly id?: number | string;
  readonly parent: number | string | null;
  readonly function?: number;
  readonly file?: string | null;
  readonly line?: number | null;
  readonly name?: string;
  readonly calls?: number | null;
  readonly self_ns?: number | null;
  readonly total_ns?: number | null;
  readonly total_low?: number | null;
  readonly total_high?: number | null;
  readonly total_least_ns?: number | null;
  readonly total_most_ns?: number | null;
  readonly recursive?: boolean;
  readonly hidden_children?: number;
}

export interface RawTree {
  readonly source: "pairs" | "tree";
  readonly unit?: string | null;
  readonly total_ns: number;
  readonly functions?: readonly { file: string | null; line: number | null; name: string }[];
  readonly nodes: readonly RawNode[];
}

const orNaN = (value: number | null | undefined): number => value ?? Number.NaN;

export function buildTree(raw: RawTree): CallTree {
  const n = raw.nodes.length;
  const functions: FunctionPlace[] = (raw.functions ?? []).map((f) => ({ ...f, file: f.file ?? "" }));
  const known = new Map<string, number>();
  const indexOf = new Map<string, number>();
  const ids = raw.nodes.map((node, i) => String(node.id ?? i));
  for (let i = 0; i < n; i++) indexOf.set(ids[i] as string, i);
  const parent = new Int32Array(n).fill(-1);
  const fn = new Int32Array(n);
  const low = new Float64Array(n);
  const high = new Float64Array(n);
  const self = new Float64Array(n);
  const calls = new Float64Array(n);
  const recursive = new Uint8Array(n);
  const hidden = new Float64Array(n);
  raw.nodes.forEach((node, i) => {
    if (node.parent !== null) parent[i] = indexOf.get(String(node.parent)) ?? -1;
    if (node.function !== undefined) fn[i] = node.function;
    else {
      const place = { file: node.file ?? "", line: node.line ?? null, name: node.name ?? "" };
      const key = functionKey(place);
      let index = known.get(key);
      if (index === undefined) {
        index = functions.length;
        known.set(key, index);
        functions.push(place);
      }
      fn[i] = index;
    }
    high[i] = node.total_high ?? node.total_most_ns ?? node.total_ns ?? 0;
    low[i] = node.total_low ?? node.total_least_ns ?? node.total_ns ?? 0;
    self[i] = orNaN(node.self_ns);
    calls[i] = orNaN(node.calls);
    recursive[i] = node.recursive ? 1 : 0;
    hidden[i] = node.hidden_children ?? 0;
  });
  return {
    source: raw.source,
    unit: raw.unit ?? "ns",
    total: raw.total_ns,
    functions,
    ids,
    parent,
    fn,
    low,
    high,
    self,
    calls,
    recursive,
    hidden,
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

export function lowOf(tree: CallTree, node: number): number {
  return node >= 0 ? (tree.low[node] as number) : tree.roots.reduce((s, r) => s + (tree.low[r] as number), 0);
}
export function highOf(tree: CallTree, node: number): number {
  return node >= 0
    ? (tree.high[node] as number)
    : tree.roots.reduce((s, r) => s + (tree.high[r] as number), 0);
}
export const isExact = (tree: CallTree, node: number): boolean =>
  node < 0 || tree.low[node] === tree.high[node];
