// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { shownRows } from "./moment_log";

const row = (line: number, second: number | null) => ({
  line,
  time_ns: second === null ? null : `${second}000000000`,
});
const log = { at_line: 3, rows: [row(2, 9), row(3, 10), row(4, null), row(5, 11), row(6, 12), row(7, null)] };
const lines = (until: number, most = 10) => shownRows(log, until * 1000, most).rows.map(({ line }) => line);

it("begins at the line that the server names, and ends with the time", () => {
  expect(lines(12)).toEqual([3, 4, 5]);
  expect(lines(10)).toEqual([]);
  expect(lines(99)).toEqual([3, 4, 5, 6, 7]);
});

it("counts what is more than one wants to see", () => {
  expect(shownRows(log, 99_000, 2)).toEqual({ rows: [row(3, 10), row(4, null)], cut: 3 });
});

it("has nothing where the log ends before", () => {
  expect(shownRows({ at_line: null, rows: [row(1, 1)] }, 99_000, 5).rows).toEqual([]);
});
