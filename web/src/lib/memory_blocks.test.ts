// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { aliveAt, allocatedIn, type Block, parseRange, sumBy, touching, valueAt } from "./memory_blocks";

const block = (
  bytes: number,
  from: number | null,
  to: number | null,
  owner: string | null = "aten::mul",
): Block => ({
  file: 0,
  device_type: "cuda",
  device_id: 0,
  bytes,
  address: 1,
  allocated_ns: from,
  released_ns: to,
  life_ns: null,
  operator: null,
  owner,
  parent_operator: null,
  module: null,
  step: "1",
  frame: null,
});
const blocks = [
  block(10, 0, 50),
  block(20, 10, null, "aten::addmm (aten::empty)"),
  block(5, null, 30),
  block(7, 60, 70),
];

it("knows what is alive at a moment", () => {
  expect(aliveAt(blocks, 20).map((b) => b.bytes)).toEqual([10, 20, 5]);
  expect(aliveAt(blocks, 50).map((b) => b.bytes)).toEqual([20]);
  expect(aliveAt(blocks, 65).map((b) => b.bytes)).toEqual([20, 7]);
});

it("restricts to a range", () => {
  expect(allocatedIn(blocks, 5, 60).map((b) => b.bytes)).toEqual([20, 7]);
  expect(touching(blocks, 25, 55).map((b) => b.bytes)).toEqual([10, 5]);
  expect(parseRange("9", "3")).toEqual([3, 9]);
  expect(parseRange("x", "3")).toBeNull();
  expect(parseRange(undefined, "3")).toBeNull();
});

it("adds up by owner", () => {
  expect(sumBy(blocks, "operator", 55)).toEqual([
    { name: "aten::mul", bytes: 22, count: 3, kept: 7 },
    { name: "aten::addmm (aten::empty)", bytes: 20, count: 1, kept: 20 },
  ]);
});

it("reads a curve of steps", () => {
  expect([0, 10, 15, 99].map((t) => valueAt([10, 20], [5, 6], t))).toEqual([null, 5, 5, 6]);
});
