// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { inOrder, readings } from "./legend";
import { decodePoints } from "./points";
import { encodeLines } from "./points_testing";

const lines = decodePoints(
  encodeLines([
    { chart: 0, run: 0, x: [0, 10], y: [1, 2], smoothed: [1, 1.5] },
    { chart: 0, run: 1, x: [0, 9], y: [5, 6], smoothed: [5, 5.5] },
    { chart: 0, run: 2, x: [], y: [] },
  ]),
);
const names = ["run 10", "run 9", "none"];

it("reads the nearest point of each line that has one", () => {
  const list = readings(lines, names, 9.2, true);
  expect(list.map(({ name, value, raw, x }) => [name, value, raw, x])).toEqual([
    ["run 10", 1.5, 2, 10],
    ["run 9", 5.5, 6, 9],
  ]);
});
it("sorts by value, by distance or by name", () => {
  const list = readings(lines, names, 9.2, true);
  const order = (o: Parameters<typeof inOrder>[1]) => inOrder(list, o, 5).map((r) => r.name);
  expect(order("ascending")).toEqual(["run 10", "run 9"]);
  expect(order("descending")).toEqual(["run 9", "run 10"]);
  expect(order("nearest")).toEqual(["run 9", "run 10"]);
  expect(order("name")).toEqual(["run 9", "run 10"]);
});
