// SPDX-License-Identifier: Apache-2.0
// Bins of 1, 2 and 5 times powers of ten, for times that spread over decades.

export interface Bin {
  readonly from: number; // inclusive
  readonly to: number; // exclusive; Infinity for the last
  readonly count: number;
}

// 0, first, 2·first, 5·first, 10·first … up to `last`.
export function decadeEdges(first: number, last: number): number[] {
  const edges = [0];
  for (let power = first; power <= last; power *= 10)
    for (const step of [1, 2, 5]) if (power * step <= last) edges.push(power * step);
  return edges;
}

// Counts by index of the edge at or below the value, as the server gives them, as bins without the empty ends.
export function binsOf(edges: readonly number[], counts: ReadonlyMap<number, number>): Bin[] {
  const bins = edges.map((from, i) => ({
    from,
    to: edges[i + 1] ?? Number.POSITIVE_INFINITY,
    count: counts.get(i) ?? 0,
  }));
  let first = 0;
  while (first < bins.length && bins[first]?.count === 0) first++;
  let last = bins.length;
  while (last > first && bins[last - 1]?.count === 0) last--;
  return bins.slice(first, last);
}

// The same as SQL: the index of the edge at or below the column's value.
export function binSql(edges: readonly number[], column: string): string {
  const cases: string[] = [];
  for (let i = edges.length - 1; i > 0; i--) cases.push(`WHEN ${column} >= ${edges[i]} THEN ${i}`);
  return `CASE ${cases.join(" ")} ELSE 0 END`;
}
