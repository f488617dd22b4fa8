// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a graph stand: in layers along its edges, each layer in an order that keeps edges short. Edges that
// go back (loops) do not count.

export interface LayoutNode {
  readonly name: string;
}
export interface Placed<T> {
  readonly node: T;
  readonly layer: number;
  readonly column: number; // middle of the layer is 0
}
export interface Layers<T> {
  readonly nodes: readonly Placed<T>[];
  readonly layers: number;
  readonly widest: number; // nodes in a layer
}

const ROUNDS = 4;

export function layered<T extends LayoutNode>(
  nodes: readonly T[],
  edges: readonly (readonly [string, string])[],
): Layers<T> {
  const index = new Map(nodes.map((node, i) => [node.name, i]));
  const out: number[][] = nodes.map(() => []);
  const into: number[][] = nodes.map(() => []);
  for (const [from, to] of edges) {
    const [a, b] = [index.get(from), index.get(to)];
    if (a === undefined || b === undefined || a === b) continue;
    (out[a] as number[]).push(b);
    (into[b] as number[]).push(a);
  }
  // Longest way from a node without inputs; what is on a loop is taken where it is met first.
  const layer = new Int32Array(nodes.length);
  const waiting = Int32Array.from(into, (list) => list.length);
  const queue: number[] = [];
  nodes.forEach((_, i) => {
    if (waiting[i] === 0) queue.push(i);
  });
  const done = new Uint8Array(nodes.length);
  for (let at = 0; ; ++at) {
    if (at >= queue.length) {
      const stuck = done.findIndex((d, i) => d === 0 && !queue.includes(i, at));
      if (stuck < 0) break;
      queue.push(stuck);
    }
    const i = queue[at] as number;
    if (done[i] === 1) continue;
    done[i] = 1;
    for (const next of out[i] as number[]) {
      if (done[next] === 1) continue;
      layer[next] = Math.max(layer[next] as number, (layer[i] as number) + 1);
      waiting[next] = (waiting[next] as number) - 1;
      if (waiting[next] === 0) queue.push(next);
    }
  }
  const layers: number[][] = [];
  nodes.forEach((_, i) => {
    const l = layer[i] as number;
    layers[l] ??= [];
    (layers[l] as number[]).push(i);
  });
  const place = new Float64Array(nodes.length);
  const settle = (): void => {
    for (const list of layers)
      list?.forEach((i, k) => {
        place[i] = k - (list.length - 1) / 2;
      });
  };
  settle();
  for (let round = 0; round < ROUNDS; ++round) {
    for (const list of round % 2 === 0 ? layers : layers.toReversed()) {
      const near = round % 2 === 0 ? into : out;
      const middle = new Map(
        list?.map((i) => {
          const of = near[i] as number[];
          return [
            i,
            of.length === 0
              ? (place[i] as number)
              : of.reduce((sum, j) => sum + (place[j] as number), 0) / of.length,
          ];
        }),
      );
      list?.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0) || a - b);
      settle();
    }
  }
  return {
    nodes: nodes.map((node, i) => ({ node, layer: layer[i] as number, column: place[i] as number })),
    layers: layers.length,
    widest: Math.max(0, ...layers.map((list) => list?.length ?? 0)),
  };
}
