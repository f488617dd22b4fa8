// SPDX-License-Identifier: Apache-2.0
// Made-up runs as event files, written here: scalars, histograms, images, text and hyper-parameters of a few runs. Every
// value follows from its run and step.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0x82f63b78 ^ (c >>> 1) : c >>> 1;
  return c;
});
function maskedCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 255] as number) ^ (crc >>> 8);
  crc = (crc ^ 0xffffffff) >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

export function record(payload: Uint8Array): Buffer {
  const out = Buffer.alloc(payload.length + 16);
  out.writeBigUInt64LE(BigInt(payload.length), 0);
  out.writeUInt32LE(maskedCrc(out.subarray(0, 8)), 8);
  out.set(payload, 12);
  out.writeUInt32LE(maskedCrc(payload), 12 + payload.length);
  return out;
}

// Protocol buffers: as much as it takes.
const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
};
const key = (field: number, wire: number): Buffer => varint(field * 8 + wire);
const number = (field: number, value: number): Buffer => Buffer.concat([key(field, 0), varint(value)]);
export const double = (field: number, value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([key(field, 1), bytes]);
};
const float = (field: number, value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([key(field, 5), bytes]);
};
export const bytes = (field: number, value: Buffer | string): Buffer => {
  const content = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([key(field, 2), varint(content.length), content]);
};
const packed = (field: number, values: readonly number[]): Buffer =>
  bytes(field, Buffer.concat(values.map((v) => double(0, v).subarray(1))));

export const event = (wall: number, step: number, summary: Buffer): Buffer =>
  record(Buffer.concat([double(1, wall), number(2, step), bytes(5, summary)]));
const value = (tag: string, content: Buffer): Buffer => bytes(1, Buffer.concat([bytes(1, tag), content]));
export const scalar = (tag: string, v: number): Buffer => value(tag, float(2, v));
const plugin = (name: string): Buffer => bytes(9, bytes(1, bytes(1, name)));
const text = (tag: string, words: string): Buffer =>
  value(
    tag,
    Buffer.concat([
      bytes(8, Buffer.concat([number(1, 7), bytes(2, bytes(2, number(1, 1))), bytes(8, words)])),
      plugin("text"),
    ]),
  );
const histogram = (tag: string, shift: number): Buffer => {
  const limits = Array.from({ length: 21 }, (_, i) => -2 + i * 0.2);
  const counts = limits.map((limit) => Math.round(100 * Math.exp(-((limit - shift) ** 2))));
  const sum = counts.reduce((a, b) => a + b, 0);
  return value(
    tag,
    bytes(
      5,
      Buffer.concat([
        double(1, -2),
        double(2, 2),
        double(3, sum),
        double(4, 0),
        double(5, sum),
        packed(6, limits),
        packed(7, counts),
      ]),
    ),
  );
};

export const START = 1_790_000_000;
export const lossOf = (run: number, step: number): number =>
  Math.fround(0.2 + 0.1 * run + 2 * Math.exp(-step / 40) + ((step * 37 + run * 11) % 17) * 0.004);

export interface MadeRuns {
  readonly names: readonly string[];
  readonly steps: number;
  readonly append: (run: number, from: number, to: number) => void;
}

export function makeRuns(folder: string, runs = 4, steps = 300): MadeRuns {
  const names = Array.from({ length: runs }, (_, i) => `exp${i % 2}/run_${i}`);
  const files = names.map((name, run) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    const file = join(path, `events.out.tfevents.${START + run}.host.1.0`);
    writeFileSync(file, record(Buffer.concat([double(1, START + run), bytes(3, "brain.Event:2")])));
    writeFileSync(
      join(path, "hparams.yaml"),
      `lr: ${[0.1, 0.01][run % 2]}\nmodel: ${["a", "b"][Math.floor(run / 2) % 2]}\nepochs: 5\n`,
    );
    return file;
  });
  const append = (run: number, from: number, to: number): void => {
    const parts: Buffer[] = [];
    for (let step = from; step < to; ++step) {
      const wall = START + run + step * 2;
      parts.push(
        event(
          wall,
          step,
          Buffer.concat([
            scalar("train/loss", lossOf(run, step)),
            scalar("val/loss", lossOf(run, step) + 0.125),
            scalar("lr", 0.5),
          ]),
        ),
      );
      if (step % 100 === 0)
        parts.push(
          event(
            wall,
            step,
            Buffer.concat([
              histogram("weights/fc", step / 300),
              text("notes", `# Step ${step}\n\n<b>as text</b> and *more*`),
            ]),
          ),
        );
    }
    appendFileSync(files[run] as string, Buffer.concat(parts));
  };
  for (let run = 0; run < runs; ++run) append(run, 0, steps);
  return { names, steps, append };
}
