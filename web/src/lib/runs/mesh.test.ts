// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { meshOf, meshTags, project } from "./mesh";

const square = {
  vertices: [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 5],
  ],
  faces: [
    [0, 1, 2],
    [1, 2, 3],
  ],
  colors: [],
};

it("draws the farthest first, within its square", () => {
  const pieces = project(square, 0.4, 0.3, 1, 200);
  expect(pieces).toHaveLength(2);
  expect(pieces[0]?.depth).toBeLessThan(pieces[1]?.depth ?? 0);
  for (const { points, shade } of pieces) {
    expect(shade).toBeLessThanOrEqual(1);
    for (const [x, y] of points) expect(Math.min(x, y) >= 0 && Math.max(x, y) <= 200).toBe(true);
  }
});
it("shows points where there are no faces, and nothing where there is nothing", () => {
  expect(project({ ...square, faces: [] }, 0, 0, 1, 100)).toHaveLength(4);
  expect(project({ vertices: [], faces: [], colors: [] }, 0, 0, 1, 100)).toEqual([]);
  expect(project({ ...square, faces: [[0, 1, 99]] }, 0, 0, 1, 100)).toHaveLength(1);
});
it("puts the tags of a mesh together, and the first of their batch", () => {
  expect([...meshTags(["a_VERTEX", "a_FACE", "b_VERTEX", "odd"])]).toEqual([
    ["a", { vertex: "a_VERTEX", face: "a_FACE" }],
    ["b", { vertex: "b_VERTEX" }],
    ["odd", { vertex: "odd" }],
  ]);
  const mesh = meshOf(
    { shape: [2, 1, 3], numbers: [1, 2, "NaN", 4, 5, 6] },
    { shape: [1, 1, 3], numbers: [0, 1, 2] },
    undefined,
  );
  expect(mesh).toEqual({ vertices: [[1, 2, Number.NaN]], faces: [[0, 1, 2]], colors: [] });
});
