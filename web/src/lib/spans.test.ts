// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeCounter, decodeSpans, firstEndingAfter, lastPointAt, wholeView } from "./spans";
import { counterBytes, spanBytes } from "./timeline_testing";

const spans = [
  { track: 3, depth: 0, start: 0, duration: 10, event: 7, merged: 1, name: "a", category: 2 },
  { track: 3, depth: 0, start: 20, duration: 5, event: 8, merged: 4, name: "ü<b>", category: 0 },
  { track: 3, depth: 1, start: 21, duration: 1, event: 9, merged: 1, name: "a", category: 1 },
];

describe("decodeSpans", () => {
  it("reads every column", () => {
    const table = decodeSpans(spanBytes(spans));
    expect(table.count).toBe(3);
    expect([...table.rows]).toEqual([3, 0, 0, 2, 3, 1, 2, 1]);
    expect([...table.start]).toEqual([0, 20, 21]);
    expect([...table.duration]).toEqual([10, 5, 1]);
    expect([...table.event]).toEqual([7, 8, 9]);
    expect([...table.merged]).toEqual([1, 4, 1]);
    expect([...table.category]).toEqual([2, 0, 1]);
    expect([...table.name].map((i) => table.names[i])).toEqual(["a", "ü<b>", "a"]);
  });
  it("reads an answer without spans", () => {
    expect(decodeSpans(spanBytes([])).count).toBe(0);
  });
  it("refuses what is cut at any point of its arrays", () => {
    const whole = spanBytes(spans);
    for (let size = 0; size < whole.byteLength; size++) {
      expect(() => decodeSpans(whole.slice(0, size)), `${size} bytes`).toThrow();
    }
  });
  it("refuses another format, rows and names that point outside", () => {
    const wrong = spanBytes(spans);
    new DataView(wrong).setUint32(0, 1, true);
    expect(() => decodeSpans(wrong)).toThrow("TTS2");
    const far = spanBytes(spans);
    new DataView(far).setUint32(24 + 12, 99, true);
    expect(() => decodeSpans(far)).toThrow("row");
    const nameless = spanBytes(spans);
    new DataView(nameless).setUint32(24 + 32 + 3 * 24, 5, true);
    expect(() => decodeSpans(nameless)).toThrow("name");
  });
});

describe("wholeView", () => {
  const answer = (skip: number, count: number, total = spans.length) =>
    spanBytes(spans.slice(skip, skip + count), skip, total);

  it("takes what comes in one part as it is", async () => {
    const asked: number[] = [];
    const table = await wholeView(async (skip) => {
      asked.push(skip);
      return answer(skip, 3);
    });
    expect(asked).toEqual([0]);
    expect(table.count).toBe(3);
  });
  it("joins parts, also where a row is in two of them", async () => {
    const table = await wholeView(async (skip) => answer(skip, 1));
    const whole = decodeSpans(spanBytes(spans));
    for (const column of ["rows", "start", "duration", "event", "merged", "category"] as const)
      expect([...table[column]], column).toEqual([...whole[column]]);
    expect([...table.name].map((i) => table.names[i])).toEqual(["a", "ü<b>", "a"]);
    expect(table.rowCount).toBe(2);
  });
  it("refuses parts of different views", async () => {
    await expect(wholeView(async (skip) => answer(skip, 1, skip + 2))).rejects.toThrow("parts");
    await expect(wholeView(async () => answer(0, 1))).rejects.toThrow("parts");
  });
});

describe("decodeCounter", () => {
  it("reads time, least, most and last", () => {
    const table = decodeCounter(
      counterBytes([
        [1, 2, 3, 2.5],
        [4, 0, 9, 1],
      ]),
    );
    expect([table.count, table.time[1], table.low[0], table.high[1], table.last[0]]).toEqual([
      2, 4, 2, 9, 2.5,
    ]);
  });
  it("refuses what is cut", () => {
    expect(() => decodeCounter(counterBytes([[1, 2, 3, 4]]).slice(0, 39))).toThrow();
  });
  it("finds the point before a moment", () => {
    const table = decodeCounter(
      counterBytes([
        [10, 0, 0, 0],
        [20, 0, 0, 0],
      ]),
    );
    expect([5, 10, 19, 25].map((time) => lastPointAt(table, time))).toEqual([-1, 0, 0, 1]);
  });
});

describe("firstEndingAfter", () => {
  it("finds the span that holds a moment, or the next", () => {
    const table = decodeSpans(spanBytes(spans));
    expect([-1, 0, 9, 10, 20, 24, 25].map((time) => firstEndingAfter(table, 0, 2, time))).toEqual([
      0, 0, 0, 1, 1, 1, 2,
    ]);
  });
});
