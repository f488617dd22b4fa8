// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { columnTracks, columnWidth, type Extent } from "./table_layout";

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
