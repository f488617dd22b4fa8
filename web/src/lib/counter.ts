// SPDX-License-Identifier: Apache-2.0
// The binary answer of …/timeline/counter: one point a pixel with the least, greatest and last value.

export interface CounterPoints {
  readonly time: Float64Array; // ns from the profile's origin
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly last: Float64Array;
}

const MAGIC = 0x31435454; // "TTC1", little-endian

export function readCounter(buffer: ArrayBuffer): CounterPoints {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC)
    throw new Error("Not the points of a counter.");
  const n = view.getUint32(4, true);
  if (buffer.byteLength < 8 + 32 * n) throw new Error("The points of the counter are cut short.");
  const column = (i: number): Float64Array =>
    new Float64Array(buffer.slice(8 + 8 * n * i, 8 + 8 * n * (i + 1)));
  return { time: column(0), least: column(1), most: column(2), last: column(3) };
}

export interface Joined {
  readonly x: number[];
  readonly values: (number | null)[][];
}

// Several counters on one axis of time. A point is shown at its greatest value for the width of its pixel, then at
// its last one, which holds until the next point.
export function joined(points: readonly CounterPoints[], pixel: number): Joined {
  const steps = points.map((p) => {
    const at = new Map<number, number>();
    p.time.forEach((t, i) => {
      const next = p.time[i + 1] ?? Number.POSITIVE_INFINITY;
      at.set(t, p.most[i] as number);
      if (p.last[i] !== p.most[i] && t + pixel < next) at.set(t + pixel, p.last[i] as number);
    });
    return at;
  });
  const x = [...new Set(steps.flatMap((at) => [...at.keys()]))].sort((a, b) => a - b);
  const values = steps.map((at) => {
    let value: number | null = null;
    return x.map((t) => {
      value = at.get(t) ?? value;
      return value;
    });
  });
  return { x, values };
}
