// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { type ChartColumn, chooseBars, chooseLines } from "./query_charts";

const column = (title: string, quantity: ChartColumn["quantity"], at: number): ChartColumn => ({
  key: `${at}_${title}`,
  title,
  quantity,
  value: (row) => row[at],
});
const columns = [
  column("name", "text", 0),
  column("calls", "count", 1),
  column("total_ns", "time", 2),
  column("median_ns", "time", 3),
];

describe("bars of an answer", () => {
  it("show a time by a name", () => {
    const chosen = chooseBars(columns, undefined, undefined);
    expect([chosen?.label.title, chosen?.value.title]).toEqual(["name", "total_ns"]);
  });
  it("show what is asked for", () => {
    expect(chooseBars(columns, "calls", "median_ns")?.value.title).toBe("median_ns");
    expect(chooseBars(columns, "calls", "no such column")?.label.title).toBe("calls");
  });
  it("need a number", () => {
    expect(chooseBars(columns.slice(0, 1), undefined, undefined)).toBeNull();
    expect(chooseBars(columns.slice(1, 2), undefined, undefined)?.value.title).toBe("calls");
  });
});

describe("lines of an answer", () => {
  it("go over the first number, with all others of one unit", () => {
    const chosen = chooseLines(columns, undefined, undefined);
    expect(chosen?.x?.title).toBe("calls");
    expect(chosen?.series.map((c) => c.title)).toEqual(["total_ns", "median_ns"]);
  });
  it("go over the rows if there is one number", () => {
    expect(chooseLines(columns.slice(0, 2), undefined, undefined)).toMatchObject({
      x: null,
      quantity: "count",
    });
  });
  it("show the one that is asked for", () => {
    const chosen = chooseLines(columns, "median_ns", "total_ns");
    expect([chosen?.x?.title, chosen?.series.length]).toEqual(["median_ns", 1]);
  });
  it("need a number", () => {
    expect(chooseLines(columns.slice(0, 1), undefined, undefined)).toBeNull();
  });
});
