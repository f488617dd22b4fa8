// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { labelled, readMarks, toggled, writeMarks } from "./timeline_marks";

describe("marks", () => {
  it("come back from the address as they were written", () => {
    const marks = [
      { time: -5, label: "" },
      { time: 7, label: "a: 50 %, b" },
      { time: 9, label: "Übergang" },
    ];
    expect(readMarks(writeMarks(marks))).toEqual(marks);
    expect(writeMarks([{ time: 1.4, label: "" }])).toBe("1");
  });
  it("reads what is typed or old, and nonsense as nothing", () => {
    expect(readMarks("a,,2,2,1")).toEqual([
      { time: 1, label: "" },
      { time: 2, label: "" },
    ]);
    expect(readMarks("3:100 %")).toEqual([{ time: 3, label: "100 %" }]);
    expect(readMarks(undefined)).toEqual([]);
    expect(readMarks(`1:${"x".repeat(500)}`)[0]?.label.length).toBe(80);
  });
  it("are set and taken away at the same place", () => {
    const one = toggled([], 100, 5);
    expect(one).toEqual([{ time: 100, label: "" }]);
    expect(toggled(one, 103, 5)).toEqual([]);
    expect(toggled(one, 50, 5).map((mark) => mark.time)).toEqual([50, 100]);
    expect(labelled(one, 100, "warm up")).toEqual([{ time: 100, label: "warm up" }]);
  });
});
