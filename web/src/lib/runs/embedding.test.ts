// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { pca } from "./pca";
import { Tsne } from "./tsne";

function clusters(count: number, dimensions: number): Float32Array {
  const data = new Float32Array(count * dimensions);
  let seed = 3;
  for (let i = 0; i < data.length; ++i) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const point = Math.floor(i / dimensions);
    data[i] = seed / 4294967296 + (i % dimensions === point % 3 ? 8 : 0);
  }
  return data;
}

it("finds the direction in which points differ most", () => {
  const data = new Float32Array(200);
  for (let i = 0; i < 100; ++i) {
    data[2 * i] = i;
    data[2 * i + 1] = 2 * i + ((i * 7) % 3) * 0.01;
  }
  const { positions, explained } = pca(data, 2, 2);
  expect(explained[0]).toBeGreaterThan(0.999);
  expect(Math.abs((positions[0] as number) - (positions[198] as number))).toBeCloseTo(99 * Math.sqrt(5), 0);
});
it("takes points that are all the same, and none", () => {
  expect([...pca(new Float32Array([1, 1, 1, 1]), 2, 2).positions]).toEqual([0, 0, 0, 0]);
  expect(pca(new Float32Array(0), 3).positions).toHaveLength(0);
});
it("keeps neighbours together", () => {
  const tsne = new Tsne(clusters(60, 6), 6, 8);
  for (let i = 0; i < 300; ++i) tsne.step();
  const at = (i: number): readonly [number, number] => [
    tsne.positions[2 * i] as number,
    tsne.positions[2 * i + 1] as number,
  ];
  const apart = (i: number, j: number): number => Math.hypot(at(i)[0] - at(j)[0], at(i)[1] - at(j)[1]);
  let [same, other, sames, others] = [0, 0, 0, 0];
  for (let i = 0; i < 60; ++i)
    for (let j = i + 1; j < 60; ++j)
      if (i % 3 === j % 3) [same, sames] = [same + apart(i, j), sames + 1];
      else [other, others] = [other + apart(i, j), others + 1];
  expect(Number.isFinite(same)).toBe(true);
  expect(other / others).toBeGreaterThan((2 * same) / sames);
});
