// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { type DiffRow, largestChanges, quantityOf, sideOf } from "./diff";

const row = (name: string, values: Partial<DiffRow>): DiffRow => ({
  name,
  renamed_from: null,
  change_share: null,
  total_change_share: null,
  calls_before: null,
  calls_after: null,
  verdict: "slower",
  p_value: null,
  ...values,
});

it("finds the values of every unit", () => {
  expect(sideOf(row("f", { before_ns: 3 }), "before", "ns")).toBe(3);
  expect(sideOf(row("f", { after_bytes: 4 }), "after", "bytes")).toBe(4);
  expect(sideOf(row("f", { change: -2 }), "change", "samples")).toBe(-2);
  expect(sideOf(row("f", { change: -2 }), "change", "count")).toBe(-2);
  expect(sideOf(row("f", {}), "before", "ns")).toBeNull();
  expect((["ns", "bytes", "samples", "count"] as const).map(quantityOf)).toEqual([
    "time",
    "bytes",
    "count",
    "count",
  ]);
});

it("puts the largest effects first, and joins the rest", () => {
  const rows = [
    row("step", { change_ns: 60 }),
    row("kernel", { change_ns: 100, total_change_share: 1.5 }),
    row("other", { change_ns: 0 }),
    row("memcpy", { change_ns: -110 }),
    row("runtime", { change_ns: 5 }),
    row("cpu_exec", { change_ns: -3 }),
  ];
  const changes = largestChanges({ table: "steps", measure: "", rows, rows_total: rows.length }, "ns", 2);
  expect(changes.shown.map(({ row: { name } }) => name)).toEqual(["memcpy", "kernel"]);
  expect(changes.shown[1]?.share).toBe(1.5);
  expect([changes.others, changes.othersChange]).toEqual([2, 2]);
});
