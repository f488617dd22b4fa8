// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { columnsThatFit, columnTracks, columnWidth, type Extent, leastWidth } from "./table_layout";

const number = (title: string, longest: string, width: number | null = null): Extent => ({
  title,
  unit: "ms",
  longest,
  width,
  fixed: false,
});
const text = (title: string, width: number | null = null): Extent => ({
  title,
  unit: "",
  longest: null,
  width,
  fixed: false,
});

describe("the width of a column", () => {
  it("has room for title and unit on one line, and at least for the longest word", () => {
    const { least, best } = columnWidth(number("Of all the changes", "1"));
    expect(best).toBeGreaterThan(21 * 7);
    expect(least).toBeGreaterThan(7 * 7);
    expect(least).toBeLessThan(21 * 5);
  });
  it("holds the longest number, whatever is asked for", () => {
    expect(columnWidth(number("A", "1,234,567.89", 40)).least).toBeGreaterThan(12 * 7);
  });
  it("is kept where more than the value is drawn", () => {
    expect(columnWidth({ ...number("ncalls", "7", 136), fixed: true })).toEqual({ least: 136, best: 136 });
  });
});

describe("the tracks of a table", () => {
  it("give the room that is left to text", () => {
    expect(columnTracks([text("Name"), number("Total", "1.0")])).toMatch(/^minmax\(190px, 1fr\) /);
  });
  it("fill the table without such a column, too", () => {
    expect(columnTracks([text("Step", 120), number("Total", "1.0")])).toMatch(/^minmax\(\d+px, 1fr\) /);
  });
  it("grow by their part of the room between the least and the best", () => {
    const [, total = "", self = ""] = columnTracks([
      text("Name"),
      number("Total", "1.0", 140),
      number("Self", "1.0", 140),
    ]).split(/ (?=clamp)/);
    const parts = [total, self].map((track) => Number(/\* ([\d.]+),/.exec(track)?.[1]));
    expect(parts.every((part) => part > 0 && part < 1)).toBe(true);
    expect(total).toMatch(/, 140px\)$/);
  });
});

it("lets names grow before figures do", () => {
  const figure = number("Total", "1.0", 140);
  const begins = (name: Extent): number =>
    Number(/100cqi - (\d+)px/.exec(columnTracks([name, figure]))?.[1]) - columnWidth(figure).least;
  expect(begins(text("Name"))).toBe(200);
  expect(begins({ ...text("Kernel"), symbols: true })).toBe(300);
  expect(leastWidth([text("Name"), figure])).toBe(190 + columnWidth(figure).least);
});

describe("columns that fit", () => {
  const spare = (extent: Extent, by: number): Extent => ({ ...extent, spare: by });
  const columns = [
    text("Kernel"),
    spare(number("Mean", "1.000"), 1),
    number("Total", "1.000"),
    spare(number("Shortest", "1.000"), 2),
    spare(number("Longest", "1.000"), 2),
  ];
  const kept = (room: number, of: readonly Extent[] = columns): string =>
    columnsThatFit(of, room)
      .map((fits) => (fits ? "x" : "."))
      .join("");
  it("all stay where there is room", () => {
    expect(kept(Number.POSITIVE_INFINITY)).toBe("xxxxx");
    expect(kept(2000)).toBe("xxxxx");
  });
  it("go by their number, of equal ones the last first, and only as many as must", () => {
    const least = columns.slice(1).map((c) => columnWidth(c).least);
    const all = 200 + least.reduce((sum, w) => sum + w, 0);
    expect(kept(all)).toBe("xxxxx");
    expect(kept(all - 1)).toBe("xxxx.");
    expect(kept(all - (least[3] as number))).toBe("xxxx.");
    expect(kept(all - (least[3] as number) - 1)).toBe("xxx..");
  });
  it("never are the first or those that nothing can replace", () => {
    expect(kept(10)).toBe("x.x..");
    expect(kept(10, [spare(text("Kernel"), 9), number("Total", "1")])).toBe("xx");
  });
  it("leave more room to names of code", () => {
    const room = 200 + columns.slice(1).reduce((sum, c) => sum + columnWidth(c).least, 0);
    expect(kept(room, [{ ...text("Kernel"), symbols: true }, ...columns.slice(1)])).not.toBe("xxxxx");
  });
});
