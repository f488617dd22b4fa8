// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { curveView, grouped, rangeText, widthFor, zoomsOf, zoomsText } from "./curve_view";

it("has a default for everything, and for nonsense", () => {
  const plain = curveView({});
  expect([plain.x, plain.smoothing, plain.logX, plain.zoom, plain.group]).toEqual([
    "step",
    0.6,
    false,
    null,
    null,
  ]);
  expect(curveView({ smoothing: "x", x: "y", zoom: "3~1", order: "?" })).toEqual(plain);
  expect(curveView({ smoothing: "7" }).smoothing).toBe(0.999);
});
it("keeps zooms in the address", () => {
  const zooms = new Map([
    ["a%2Fb", [0, 1.5]],
    ["c", [-2e9, 3]],
  ] as const);
  expect(zoomsOf(zoomsText(zooms) ?? "")).toEqual(zooms);
  expect(zoomsOf("broken!x~y~z")).toEqual(new Map());
  expect(rangeText([1, 2])).toBe("1~2");
});
it("asks for fewer points where there are many lines", () => {
  expect(widthFor(500, 1)).toBe(500);
  expect(widthFor(500, 100)).toBe(300);
  expect(widthFor(500, 100_000)).toBe(40);
});
it("groups runs by a value of their config", () => {
  const runs = [{ config: { lr: 1 } }, { config: { lr: 2 } }, { config: {} }, { config: { lr: 1 } }];
  expect(grouped(runs, "lr").map((g) => [g.name, g.members.length])).toEqual([
    ["lr = 1", 2],
    ["lr = 2", 1],
    ["lr = –", 1],
  ]);
  expect(grouped(runs, "all").map((g) => g.members.length)).toEqual([4]);
});
