// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import {
  byInterest,
  chosenColumns,
  columnKey,
  columnOf,
  defaultColumns,
  metricsOf,
  sortName,
} from "./run_columns";

it("keeps any name in the address", () => {
  for (const column of [
    { kind: "fact", name: "tags" },
    { kind: "config", name: "a,b:c" },
    { kind: "min", name: "val/loss" },
  ] as const)
    expect(columnOf(columnKey(column))).toEqual(column);
  expect(columnOf("nonsense")).toBeNull();
  expect(columnOf("min:%zz")).toBeNull();
});
it("shows config that differs, and the best of a metric", () => {
  const columns = defaultColumns(
    [
      { name: "lr", distinct: 3 },
      { name: "epochs", distinct: 1 },
    ],
    ["val/loss", "acc"],
  );
  expect(columns.map(columnKey)).toEqual([
    "started",
    "duration",
    "config:lr",
    "spark:val%2Floss",
    "last:val%2Floss",
    "min:val%2Floss",
    "last:acc",
    "tags",
    "note",
  ]);
  expect(metricsOf(columns)).toEqual(["val/loss", "acc"]);
  expect(chosenColumns("tags,last:x", columns).map(columnKey)).toEqual(["tags", "last:x"]);
});
it("has what is validated first", () => {
  const metrics = ["lr", "train/loss", "val/loss", "val/acc"].map((name) => ({ name, runs: 2 }));
  expect(byInterest(metrics)).toEqual(["val/loss", "val/acc", "train/loss", "lr"]);
});
it("is sorted by names that the server knows", () => {
  const names = ["started", "tags", "config:lr", "last:val%2Floss", "min:a", "spark:a"].map((key) =>
    sortName(columnOf(key) ?? { kind: "fact", name: "" }),
  );
  expect(names).toEqual(["start", "tags", "config.lr", "metrics.val/loss", "metrics.a.min", null]);
});
