// SPDX-License-Identifier: Apache-2.0
// Histograms over steps: the same bins for all of them, so that they can be drawn above each other.

export type Bucket = readonly [left: number, right: number, count: number];
export interface HistogramStep {
  readonly step: number;
  readonly wall: number;
  readonly buckets: readonly Bucket[];
}

export function extent(steps: readonly HistogramStep[]): readonly [number, number] | null {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { buckets } of steps)
    for (const [left, right, count] of buckets) {
      if (!(count > 0) || !Number.isFinite(left) || !Number.isFinite(right)) continue;
      min = Math.min(min, left);
      max = Math.max(max, right);
    }
  if (min > max) return null;
  return min === max ? [min - 0.5, max + 0.5] : [min, max];
}

// Counts in equal bins: a bucket gives each bin the part of it that lies there; one without width goes into one bin.
export function rebinned(
  buckets: readonly Bucket[],
  [min, max]: readonly [number, number],
  bins: number,
): Float64Array {
  const counts = new Float64Array(bins);
  const width = (max - min) / bins;
  for (const [left, right, count] of buckets) {
    if (!(count > 0) || !Number.isFinite(left) || !Number.isFinite(right)) continue;
    const from = Math.max(0, Math.min(bins - 1, Math.floor((left - min) / width)));
    const to = Math.max(from, Math.min(bins - 1, Math.floor((right - min) / width)));
    if (right <= left) {
      counts[from] = (counts[from] as number) + count;
      continue;
    }
    for (let i = from; i <= to; ++i) {
      const overlap = Math.min(right, min + (i + 1) * width) - Math.max(left, min + i * width);
      if (overlap > 0) counts[i] = (counts[i] as number) + (count * overlap) / (right - left);
    }
  }
  return counts;
}

// Which steps are drawn where there are too many: evenly, the first and the last among them.
export function thinned<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from(
    { length: most },
    (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))] as T,
  );
}
