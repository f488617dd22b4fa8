// SPDX-License-Identifier: Apache-2.0
// t-SNE beside the page: gets points, sends positions as they come along.
import { Tsne } from "../../../lib/runs/tsne";

const ROUNDS = 600;
const TOLD_MS = 150; // between two pictures

addEventListener(
  "message",
  (event: MessageEvent<{ data: Float32Array; dimensions: number; perplexity: number }>) => {
    const { data, dimensions, perplexity } = event.data;
    const tsne = new Tsne(data, dimensions, perplexity);
    let told = 0;
    while (tsne.round < ROUNDS) {
      tsne.step();
      const now = performance.now();
      if (now - told < TOLD_MS && tsne.round < ROUNDS) continue;
      told = now;
      postMessage({ round: tsne.round, of: ROUNDS, positions: Float32Array.from(tsne.positions) });
    }
  },
);
