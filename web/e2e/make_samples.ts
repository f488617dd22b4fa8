// SPDX-License-Identifier: Apache-2.0
// A file of samples as `telltale run` writes it (src/formats/samples/FORMAT.md): one thread, a block a second, in each of
// which one function ran.

function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return [...bytes, Number(rest)];
}
const number = (field: number, value: number | bigint): number[] => [...varint(field * 8), ...varint(value)];
const bytes = (field: number, of: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(of.length),
  ...of,
];
const packed = (field: number, values: readonly number[]): number[] => bytes(field, values.flatMap(varint));
const text = (field: number, of: string): number[] => bytes(field, [...Buffer.from(of)]);

function crc32c(of: readonly number[]): number {
  let crc = ~0;
  for (const byte of of) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

function block(payload: readonly number[]): Buffer {
  const head = Buffer.alloc(12);
  head.write("TTS1");
  head.writeUInt32LE(payload.length, 4);
  head.writeUInt32LE(crc32c(payload), 8);
  return Buffer.concat([head, Buffer.from(payload)]);
}

// `functions[i]` ran in second i, called by `train`.
export function makeSamples(startMs: number, functions: readonly string[]): Buffer {
  const names = [...new Set(functions)];
  const described = [
    ...number(1, BigInt(startMs) * 1_000_000n),
    ...number(2, 10_000_000),
    ...number(3, 0),
    ...["train.py", "MainThread", "train", ...names].flatMap((one) => text(4, one)),
    ...number(5, 0),
    ...packed(6, [2, 0, 1, ...names.flatMap((_, i) => [3 + i, 0, 10 * (i + 1)])]),
    ...number(7, 0),
    ...packed(8, [7, 7, 1]),
    ...number(9, 0),
    ...packed(10, [0, 0, ...names.flatMap((_, i) => [1, 1 + i])]),
  ];
  const blocks = functions.map((name, second) => {
    const which = names.indexOf(name);
    const sample = [...number(1, 0), ...packed(2, [1 + which, 4 * (10 * (which + 1) + 2), 100, 1_000_000])];
    return block([
      ...(second === 0 ? described : []),
      ...number(11, second * 1_000_000),
      ...number(12, 1_000_000),
      ...bytes(13, sample),
    ]);
  });
  return Buffer.concat(blocks);
}
