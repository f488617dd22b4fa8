// SPDX-License-Identifier: Apache-2.0
// A body of triangles, or a cloud of points, turned and put onto a plane, the farthest first.

export interface Mesh {
  readonly vertices: readonly (readonly number[])[];
  readonly faces: readonly (readonly number[])[];
  readonly colors: readonly (readonly number[])[]; // of vertices; none: grey
}

// A tensor as it was logged: [batch, number, 3].
export interface Numbers {
  readonly shape: readonly number[];
  readonly numbers: readonly (number | string)[];
}

const ENDS = { vertex: "_VERTEX", face: "_FACE", color: "_COLOR" } as const;
export type MeshTags = { readonly [part in keyof typeof ENDS]?: string };

// A mesh is logged as up to three tags: by the name that they share.
export function meshTags(tags: readonly string[]): ReadonlyMap<string, MeshTags> {
  const meshes = new Map<string, Record<string, string>>();
  for (const tag of tags) {
    const part = Object.entries(ENDS).find(([, end]) => tag.endsWith(end));
    const name = part ? tag.slice(0, -part[1].length) : tag;
    const known = meshes.get(name) ?? {};
    known[part?.[0] ?? "vertex"] = tag;
    meshes.set(name, known);
  }
  return meshes;
}

// The first of the batch.
function triples(of: Numbers | undefined): readonly (readonly number[])[] {
  if (of === undefined) return [];
  const count = of.shape.length >= 2 ? (of.shape.at(-2) ?? 0) : Math.floor(of.numbers.length / 3);
  return Array.from({ length: Math.min(count, Math.floor(of.numbers.length / 3)) }, (_, i) =>
    of.numbers.slice(3 * i, 3 * i + 3).map(Number),
  );
}
export const meshOf = (
  vertex: Numbers | undefined,
  face: Numbers | undefined,
  color: Numbers | undefined,
): Mesh => ({
  vertices: triples(vertex),
  faces: triples(face),
  colors: triples(color),
});

export interface Piece {
  readonly points: readonly (readonly [number, number])[]; // three, or one
  readonly depth: number; // small is far
  readonly shade: number; // 0 … 1: how much light falls on it
  readonly color: readonly [number, number, number];
}

const GREY: readonly [number, number, number] = [150, 160, 175];

export function project(
  mesh: Mesh,
  turn: number,
  tilt: number,
  zoom: number,
  size: number,
): readonly Piece[] {
  const { vertices, faces, colors } = mesh;
  let [cx, cy, cz, n] = [0, 0, 0, 0];
  for (const [x = 0, y = 0, z = 0] of vertices) [cx, cy, cz, n] = [cx + x, cy + y, cz + z, n + 1];
  if (n === 0) return [];
  [cx, cy, cz] = [cx / n, cy / n, cz / n];
  let radius = 0;
  for (const [x = 0, y = 0, z = 0] of vertices) radius = Math.max(radius, Math.hypot(x - cx, y - cy, z - cz));
  const scale = ((0.42 * size) / (radius || 1)) * zoom;
  const [st, ct, sl, cl] = [Math.sin(turn), Math.cos(turn), Math.sin(tilt), Math.cos(tilt)];
  const placed = vertices.map(([x = 0, y = 0, z = 0]): readonly [number, number, number] => {
    const [a, b, c] = [x - cx, y - cy, z - cz];
    const [x1, z1] = [a * ct + c * st, -a * st + c * ct];
    return [x1, b * cl - z1 * sl, b * sl + z1 * cl];
  });
  const at = (i: number): readonly [number, number, number] => placed[i] ?? [0, 0, 0];
  const flat = ([x, y]: readonly [number, number, number]): readonly [number, number] => [
    size / 2 + x * scale,
    size / 2 - y * scale,
  ];
  const colour = (...corners: number[]): readonly [number, number, number] => {
    const given = corners.flatMap((i) => (colors[i] ? [colors[i] as readonly number[]] : []));
    if (given.length === 0) return GREY;
    const mean = (k: number): number => given.reduce((sum, c) => sum + (c[k] ?? 0), 0) / given.length;
    return [mean(0), mean(1), mean(2)];
  };
  const pieces: Piece[] = [];
  for (const [a = 0, b = 0, c = 0] of faces) {
    const [p, q, r] = [at(a), at(b), at(c)];
    const [ux, uy, uz] = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    const [vx, vy, vz] = [r[0] - p[0], r[1] - p[1], r[2] - p[2]];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(nx, ny, nz) || 1;
    pieces.push({
      points: [flat(p), flat(q), flat(r)],
      depth: (p[2] + q[2] + r[2]) / 3,
      shade: 0.35 + 0.65 * Math.abs(nz / length),
      color: colour(a, b, c),
    });
  }
  if (faces.length === 0)
    for (const [i, p] of placed.entries())
      pieces.push({ points: [flat(p)], depth: p[2], shade: 1, color: colour(i) });
  return pieces.sort((a, b) => a.depth - b.depth);
}
