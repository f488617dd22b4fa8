// SPDX-License-Identifier: Apache-2.0
// Blocks of memory and moments: what is alive, what was allocated in a range, by whom.

export interface Block {
  readonly file: number;
  readonly device_type: string;
  readonly device_id: number | null;
  readonly bytes: number;
  readonly address: number | null;
  readonly allocated_ns: number | null; // null: before the recording
  readonly released_ns: number | null; // null: never seen
  readonly life_ns: number | null;
  readonly operator: string | null;
  readonly owner: string | null; // the operator or place that asked
  readonly parent_operator: string | null;
  readonly module: string | null;
  readonly step: string | null;
  readonly frame: string | null;
}

export type Key = "operator" | "module" | "step" | "frame";

export function keyOf(block: Block, key: Key): string {
  return key === "operator" ? (block.owner ?? "(no operator)") : (block[key] ?? "(none)");
}

// Allocated at or before the moment and not released by then.
export function aliveAt(blocks: readonly Block[], ns: number): Block[] {
  return blocks.filter(
    (b) =>
      (b.allocated_ns === null || b.allocated_ns <= ns) && (b.released_ns === null || b.released_ns > ns),
  );
}

export function allocatedIn(blocks: readonly Block[], from: number, to: number): Block[] {
  return blocks.filter((b) => b.allocated_ns !== null && b.allocated_ns >= from && b.allocated_ns <= to);
}

// Allocated or released in it.
export function touching(blocks: readonly Block[], from: number, to: number): Block[] {
  const inside = (t: number | null): boolean => t !== null && t >= from && t <= to;
  return blocks.filter((b) => inside(b.allocated_ns) || inside(b.released_ns));
}

export interface Sum {
  readonly name: string;
  readonly bytes: number;
  readonly count: number;
  readonly kept: number; // bytes not released by the given moment
}

// By the key, the largest first.
export function sumBy(blocks: readonly Block[], key: Key, until = Number.POSITIVE_INFINITY): Sum[] {
  const sums = new Map<string, { name: string; bytes: number; count: number; kept: number }>();
  for (const block of blocks) {
    const name = keyOf(block, key);
    const sum = sums.get(name) ?? { name, bytes: 0, count: 0, kept: 0 };
    sum.bytes += block.bytes;
    sum.count++;
    if (block.released_ns === null || block.released_ns > until) sum.kept += block.bytes;
    sums.set(name, sum);
  }
  return [...sums.values()].sort((a, b) => b.bytes - a.bytes || a.name.localeCompare(b.name));
}

// The value of a curve of steps at a moment: the last point at or before it.
export function valueAt(
  times: readonly number[],
  values: readonly (number | null)[],
  ns: number,
): number | null {
  let lo = 0;
  let hi = times.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if ((times[middle] as number) <= ns) lo = middle + 1;
    else hi = middle;
  }
  return lo === 0 ? null : (values[lo - 1] ?? null);
}

// A range as written in an address: two numbers in order, or none.
export function parseRange(
  from: string | undefined,
  to: string | undefined,
): readonly [number, number] | null {
  if (from === undefined || to === undefined) return null;
  const [a, b] = [Number(from), Number(to)];
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === b) return null;
  return a < b ? [a, b] : [b, a];
}
