// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { appended, decodePoints, lastX, nearest } from "./points";
import { encodeLines } from "./points_testing";

const line = (x: readonly number[], y: readonly number[]) =>
  decodePoints(encodeLines([{ chart: 2, run: 5, total: 99, reduced: true, x, y }]))[0] as ReturnType<
    typeof decodePoints
  >[number];

describe("decodePoints", () => {
  it("gives every column of every line", () => {
    const lines = decodePoints(
      encodeLines([
        { chart: 0, run: 1, x: [1, 2], y: [3, 4] },
        { chart: 1, run: 0, x: [7], y: [8], low: [6], high: [9], reduced: true, total: 40 },
      ]),
    );
    expect(lines.map(({ chart, run, total, reduced }) => [chart, run, total, reduced])).toEqual([
      [0, 1, 2, false],
      [1, 0, 40, true],
    ]);
    expect([...(lines[0]?.y ?? [])]).toEqual([3, 4]);
    expect(lines[0]?.low).toBeNull();
    expect([...(lines[1]?.low ?? [])]).toEqual([6]);
    expect([...(lines[1]?.high ?? [])]).toEqual([9]);
  });

  it("refuses what is something else, and what is cut anywhere", () => {
    const whole = encodeLines([{ chart: 0, run: 0, x: [1, 2], y: [3, 4] }]);
    for (let bytes = 0; bytes < whole.byteLength; ++bytes)
      expect(() => decodePoints(whole.slice(0, bytes))).toThrow("cannot be read");
    new Uint8Array(whole)[0] = 0;
    expect(() => decodePoints(whole)).toThrow("TTP1");
  });

  it("says whether x goes back, segments or not", () => {
    expect(line([1, 2, Number.NaN, 3], [0, 0, Number.NaN, 0]).rising).toBe(true);
    expect(line([1, 2, Number.NaN, 1], [0, 0, Number.NaN, 0]).rising).toBe(false);
    expect(line([1, 2, Number.NaN, 1], [0, 0, Number.NaN, 0]).odd).toBe(false);
    expect(line([1, 2], [0, Number.NaN]).odd).toBe(true);
    expect(line([1, 2], [0, Number.POSITIVE_INFINITY]).odd).toBe(true);
  });
});

describe("nearest", () => {
  it("finds the point on either side", () => {
    const l = line([0, 10, 20, 30], [1, 1, 1, 1]);
    expect([-5, 4, 6, 14, 16, 29, 99].map((x) => nearest(l, x))).toEqual([0, 0, 1, 1, 2, 3, 3]);
  });
  it("passes by ends of segments and values that are none", () => {
    const l = line([0, 10, Number.NaN, 20, 30], [1, Number.NaN, Number.NaN, Number.NaN, 4]);
    expect([9, 12, 19].map((x) => nearest(l, x))).toEqual([0, 0, 4]);
    expect(nearest(line([], []), 3)).toBe(-1);
    expect(nearest(line([1], [Number.NaN]), 3)).toBe(-1);
  });
  it("looks at all of a line that goes back", () => {
    expect(nearest(line([0, 50, Number.NaN, 20, 60], [1, 1, Number.NaN, 1, 1]), 22)).toBe(3);
  });
  it("agrees with looking at every point", () => {
    let seed = 7;
    const random = (): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    for (let round = 0; round < 200; ++round) {
      const x: number[] = [];
      const y: number[] = [];
      for (let i = 0, at = 0; i < 1 + random() * 30; ++i) {
        const gap = random() < 0.2;
        at += random() * 3;
        x.push(gap ? Number.NaN : at);
        y.push(gap || random() < 0.2 ? Number.NaN : random());
      }
      const l = line(x, y);
      const at = random() * 50;
      const away = x.map((v, i) => (Number.isFinite(y[i]) ? Math.abs(v - at) : Number.POSITIVE_INFINITY));
      const least = Math.min(...away);
      const found = nearest(l, at);
      expect(found < 0 ? Number.POSITIVE_INFINITY : away[found]).toBe(least);
    }
  });
});

describe("appended", () => {
  it("adds only what is new", () => {
    const l = appended(line([1, 2, 3], [1, 1, 1]), line([2, 3, 4, 5], [9, 9, 9, 9]));
    expect([...l.x]).toEqual([1, 2, 3, 4, 5]);
    expect([...l.y]).toEqual([1, 1, 1, 9, 9]);
    expect(l.total).toBe(101);
    expect(lastX(l)).toBe(5);
  });
  it("leaves a line alone that got nothing", () => {
    const l = line([1, 2], [1, 1]);
    expect(appended(l, line([2], [5]))).toBe(l);
  });
});
