// SPDX-License-Identifier: Apache-2.0
// t-SNE of van der Maaten, exact, in two dimensions: good for a few thousand points. It goes on step by step, so that a
// worker can show how it comes along.

export class Tsne {
  readonly count: number;
  readonly positions: Float64Array; // x, y of each point
  round = 0;
  private readonly p: Float32Array; // symmetric similarities
  private readonly gains: Float64Array;
  private readonly speed: Float64Array;

  constructor(data: Float32Array, dimensions: number, perplexity = 30) {
    const n = Math.floor(data.length / dimensions);
    this.count = n;
    this.p = new Float32Array(n * n);
    this.positions = new Float64Array(2 * n);
    this.gains = new Float64Array(2 * n).fill(1);
    this.speed = new Float64Array(2 * n);
    let seed = 11;
    for (let i = 0; i < 2 * n; ++i) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      this.positions[i] = (seed / 4294967296 - 0.5) * 1e-2;
    }
    this.similarities(data, dimensions, Math.max(2, Math.min(perplexity, (n - 1) / 3)));
  }

  private similarities(data: Float32Array, dimensions: number, perplexity: number): void {
    const { count: n, p } = this;
    const distances = new Float64Array(n);
    const row = new Float64Array(n);
    const wanted = Math.log(perplexity);
    for (let i = 0; i < n; ++i) {
      for (let j = 0; j < n; ++j) {
        let sum = 0;
        for (let d = 0; d < dimensions; ++d)
          sum += ((data[i * dimensions + d] as number) - (data[j * dimensions + d] as number)) ** 2;
        distances[j] = sum;
      }
      // The width of the bell that has as many neighbours as wanted.
      let [beta, low, high] = [1, 0, Number.POSITIVE_INFINITY];
      for (let tries = 0; tries < 50; ++tries) {
        let [sum, weighted] = [0, 0];
        for (let j = 0; j < n; ++j) {
          const v = j === i ? 0 : Math.exp(-(distances[j] as number) * beta);
          row[j] = v;
          sum += v;
          weighted += v * (distances[j] as number);
        }
        const entropy = sum > 0 ? Math.log(sum) + (beta * weighted) / sum : 0;
        if (Math.abs(entropy - wanted) < 1e-4) break;
        if (entropy > wanted) {
          low = beta;
          beta = high === Number.POSITIVE_INFINITY ? beta * 2 : (beta + high) / 2;
        } else {
          high = beta;
          beta = (beta + low) / 2;
        }
      }
      let sum = 0;
      for (let j = 0; j < n; ++j) sum += row[j] as number;
      for (let j = 0; j < n; ++j) p[i * n + j] = sum > 0 ? (row[j] as number) / sum : 0;
    }
    for (let i = 0; i < n; ++i)
      for (let j = i + 1; j < n; ++j) {
        const both = Math.max(1e-12, ((p[i * n + j] as number) + (p[j * n + i] as number)) / (2 * n));
        p[i * n + j] = both;
        p[j * n + i] = both;
      }
  }

  step(): void {
    const { count: n, p, positions: y, gains, speed } = this;
    const early = this.round < 100 ? 4 : 1; // clusters form first
    const momentum = this.round < 250 ? 0.5 : 0.8;
    const rate = Math.max(10, n / 12);
    let sum = 0;
    for (let i = 0; i < n; ++i)
      for (let j = i + 1; j < n; ++j) {
        const dx = (y[2 * i] as number) - (y[2 * j] as number);
        const dy = (y[2 * i + 1] as number) - (y[2 * j + 1] as number);
        sum += 2 / (1 + dx * dx + dy * dy);
      }
    const gradient = new Float64Array(2 * n);
    for (let i = 0; i < n; ++i)
      for (let j = i + 1; j < n; ++j) {
        const dx = (y[2 * i] as number) - (y[2 * j] as number);
        const dy = (y[2 * i + 1] as number) - (y[2 * j + 1] as number);
        const q = 1 / (1 + dx * dx + dy * dy);
        const force = 4 * (early * (p[i * n + j] as number) - q / sum) * q;
        gradient[2 * i] = (gradient[2 * i] as number) + force * dx;
        gradient[2 * i + 1] = (gradient[2 * i + 1] as number) + force * dy;
        gradient[2 * j] = (gradient[2 * j] as number) - force * dx;
        gradient[2 * j + 1] = (gradient[2 * j + 1] as number) - force * dy;
      }
    for (let k = 0; k < 2 * n; ++k) {
      const g = gradient[k] as number;
      const v = speed[k] as number;
      gains[k] = Math.max(0.01, g * v > 0 ? (gains[k] as number) * 0.8 : (gains[k] as number) + 0.2);
      speed[k] = momentum * v - rate * (gains[k] as number) * g;
      y[k] = (y[k] as number) + (speed[k] as number);
    }
    for (const axis of [0, 1]) {
      let mean = 0;
      for (let i = 0; i < n; ++i) mean += (y[2 * i + axis] as number) / n;
      for (let i = 0; i < n; ++i) y[2 * i + axis] = (y[2 * i + axis] as number) - mean;
    }
    this.round += 1;
  }
}
