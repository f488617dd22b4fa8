// SPDX-License-Identifier: Apache-2.0
// The first principal components of points with many dimensions, by orthogonal iteration: without the covariance
// matrix, which has too many entries where there are many dimensions.

export interface Pca {
  readonly positions: Float32Array; // `components` for each point
  readonly explained: readonly number[]; // share of the variance, of each component
}

const ROUNDS = 40;

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296 - 0.5;
  };
}

export function pca(data: Float32Array, dimensions: number, components = 3): Pca {
  const count = Math.floor(data.length / Math.max(1, dimensions));
  const wanted = Math.min(components, dimensions);
  const mean = new Float64Array(dimensions);
  for (let i = 0; i < count; ++i)
    for (let d = 0; d < dimensions; ++d)
      mean[d] = (mean[d] as number) + (data[i * dimensions + d] as number) / count;
  let variance = 0;
  for (let i = 0; i < count; ++i)
    for (let d = 0; d < dimensions; ++d)
      variance += ((data[i * dimensions + d] as number) - (mean[d] as number)) ** 2;

  const next = random(7);
  const axes = Array.from({ length: wanted }, () => Float64Array.from({ length: dimensions }, next));
  const project = (axis: Float64Array, i: number): number => {
    let sum = 0;
    for (let d = 0; d < dimensions; ++d)
      sum += ((data[i * dimensions + d] as number) - (mean[d] as number)) * (axis[d] as number);
    return sum;
  };
  const orthonormal = (): void => {
    axes.forEach((axis, k) => {
      for (let other = 0; other < k; ++other) {
        const o = axes[other] as Float64Array;
        let dot = 0;
        for (let d = 0; d < dimensions; ++d) dot += (axis[d] as number) * (o[d] as number);
        for (let d = 0; d < dimensions; ++d) axis[d] = (axis[d] as number) - dot * (o[d] as number);
      }
      let length = 0;
      for (let d = 0; d < dimensions; ++d) length += (axis[d] as number) ** 2;
      length = Math.sqrt(length) || 1;
      for (let d = 0; d < dimensions; ++d) axis[d] = (axis[d] as number) / length;
    });
  };
  orthonormal();
  const rounds = variance > 0 ? ROUNDS : 0;
  for (let round = 0; round < rounds; ++round) {
    for (let k = 0; k < wanted; ++k) {
      const axis = axes[k] as Float64Array;
      const sum = new Float64Array(dimensions);
      for (let i = 0; i < count; ++i) {
        const p = project(axis, i);
        for (let d = 0; d < dimensions; ++d)
          sum[d] = (sum[d] as number) + p * ((data[i * dimensions + d] as number) - (mean[d] as number));
      }
      axis.set(sum);
    }
    orthonormal();
  }
  const positions = new Float32Array(count * components);
  const explained = axes.map((axis, k) => {
    let own = 0;
    for (let i = 0; i < count; ++i) {
      const p = project(axis, i);
      positions[i * components + k] = p;
      own += p * p;
    }
    return variance > 0 ? own / variance : 0;
  });
  return { positions, explained };
}
