// SPDX-License-Identifier: Apache-2.0
// Which events a search means (docs/http-api.md, Events): a bit for each event of a file.

const MAGIC = 0x314d5454; // "TTM1", little-endian
const HEAD_BYTES = 16;

export interface MatchingPart {
  readonly first: number;
  readonly count: number;
  readonly total: number; // events of the file
  readonly bits: Uint8Array;
}

export function decodeMatching(buffer: ArrayBuffer): MatchingPart {
  if (buffer.byteLength < HEAD_BYTES)
    throw new Error("The matches cannot be read: they end in their header.");
  const [magic = 0, first = 0, count = 0, total = 0] = new Uint32Array(buffer, 0, HEAD_BYTES / 4);
  const size = Math.ceil(count / 8);
  if (magic !== MAGIC || first % 8 !== 0 || HEAD_BYTES + size > buffer.byteLength || first + count > total)
    throw new Error("The matches cannot be read: they are not what their header says.");
  return { first, count, total, bits: new Uint8Array(buffer, HEAD_BYTES, size) };
}

// All of a file; `get` asks for the part that begins behind `skip` events.
export async function wholeMatching(get: (skip: number) => Promise<ArrayBuffer>): Promise<Uint8Array> {
  let bits = new Uint8Array(0);
  for (let held = 0; ; ) {
    const part = decodeMatching(await get(held));
    if (part.first !== held) throw new Error("The matches cannot be read: a part is missing.");
    if (held === 0) bits = new Uint8Array(Math.ceil(part.total / 8));
    bits.set(part.bits, part.first / 8);
    held += part.count;
    if (held >= part.total || part.count === 0) return bits;
  }
}

export const isSet = (bits: Uint8Array, event: number): boolean =>
  (((bits[event >>> 3] ?? 0) >> (event & 7)) & 1) === 1;
