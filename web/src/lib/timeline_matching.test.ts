// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeMatching, isSet, wholeMatching } from "./timeline_matching";

function part(first: number, count: number, total: number, bytes: readonly number[]): ArrayBuffer {
  const buffer = new ArrayBuffer(16 + bytes.length);
  const view = new DataView(buffer);
  "TTM1".split("").forEach((letter, i) => {
    view.setUint8(i, letter.charCodeAt(0));
  });
  [first, count, total].forEach((value, i) => {
    view.setUint32(4 + 4 * i, value, true);
  });
  new Uint8Array(buffer, 16).set(bytes);
  return buffer;
}

describe("matching events", () => {
  it("has a bit for each, over several parts", async () => {
    const asked: number[] = [];
    const bits = await wholeMatching(async (skip) => {
      asked.push(skip);
      return skip === 0 ? part(0, 16, 20, [0b10, 0]) : part(16, 4, 20, [0b1000]);
    });
    expect(asked).toEqual([0, 16]);
    expect([0, 1, 15, 16, 19, 0xffffffff].map((event) => isSet(bits, event))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
  });
  it("refuses what is no such answer", () => {
    expect(() => decodeMatching(new ArrayBuffer(3))).toThrow();
    expect(() => decodeMatching(part(0, 80, 80, [1]))).toThrow();
    expect(() => decodeMatching(part(4, 1, 8, [1]))).toThrow();
    expect(() => decodeMatching(new ArrayBuffer(32))).toThrow();
  });
});
