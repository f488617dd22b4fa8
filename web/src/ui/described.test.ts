// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from "vitest";
import type { TableDescription } from "../lib/table_description";

vi.stubGlobal("location", { search: "?profile=p", pathname: "/" });
vi.stubGlobal("history", { state: null, replaceState: () => undefined });
vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("document", { documentElement: { dataset: {} }, addEventListener: () => undefined });
const { columnsOf, countedIn } = await import("./described");

interface Row {
  readonly file: number;
  readonly name: string;
  readonly kernel: string | null;
  readonly time_ns: number;
  readonly start_ns: number;
  readonly pinned: boolean | null;
  readonly parts: { readonly copy: number };
}
const TABLE: TableDescription<Row> = [
  { key: "file", title: "File", quantity: "file", presence: "files" },
  { key: "name", title: "Name", quantity: "name", names: "operator" },
  { key: "kernel", title: "Kernel", quantity: "name", names: "kernel", presence: "value" },
  { key: "time_ns", title: "Time", quantity: "duration", bar: true, sum: false, spare: 20 },
  { key: "start_ns", title: "Start", quantity: "moment" },
  { key: "pinned", title: "Pinned", quantity: "flag", presence: "known" },
  { key: "copy", title: "Copies", quantity: "duration", group: "parts", presence: "nonzero" },
  { key: "mean_ns", title: "Mean", quantity: "duration", derived: true },
];
const row = (more: Partial<Row> = {}): Row => ({
  file: 0,
  name: "aten::mm",
  kernel: null,
  time_ns: 5,
  start_ns: 100,
  pinned: null,
  parts: { copy: 0 },
  ...more,
});
const shown = (rows: readonly Row[], files = 1): readonly string[] =>
  columnsOf(TABLE, rows, { files: Array(files).fill({ rank: 1, worker: null }) })
    .filter((column) => !column.hidden)
    .map(({ key }) => key);

describe("a described table", () => {
  it("hides what no row has", () => {
    expect(shown([row()])).toEqual(["name", "time_ns", "start_ns"]);
    expect(shown([row({ pinned: false, kernel: "k" })])).toContain("pinned");
    expect(shown([row({ parts: { copy: 3 } })], 2)).toEqual(["file", "name", "time_ns", "start_ns", "copy"]);
  });

  it("never begins with a hidden column, which a table would show", () => {
    expect(columnsOf(TABLE, [row()])[0]?.key).toBe("name");
  });

  it("reads values as their quantities are: groups, moments, flags, files", () => {
    const one = row({ pinned: true, parts: { copy: 7 } });
    const columns = columnsOf(TABLE, [one], {
      origin: 60,
      files: Array(2).fill({ rank: 1, worker: null }),
    });
    const value = (key: string) => columns.find((column) => column.key === key)?.value(one);
    expect(["copy", "start_ns", "pinned", "file"].map(value)).toEqual([7, 40, "yes", "rank 1"]);
  });

  it("leaves a column that rows do not hold to the page", () => {
    expect(columnsOf(TABLE, [row()]).some(({ key }) => key === "mean_ns")).toBe(false);
    const cells = { mean_ns: { value: (r: Row) => r.time_ns / 5 } };
    const mean = columnsOf(TABLE, [row()], { cells }).find(({ key }) => key === "mean_ns");
    expect(mean?.value(row())).toBe(1);
  });

  it("leads to what is named, unless the row opens it", () => {
    const name = (opens: boolean) => columnsOf(TABLE, [row()], { opens }).find(({ key }) => key === "name");
    expect(name(false)?.href?.(row())).toContain("open=aten");
    expect(name(true)?.href).toBeUndefined();
  });

  it("counts in other units what the profile counts", () => {
    expect(countedIn(TABLE, "bytes").find(({ key }) => key === "time_ns")?.quantity).toBe("bytes");
    expect(countedIn(TABLE, "ns")).toBe(TABLE);
  });
});
