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
