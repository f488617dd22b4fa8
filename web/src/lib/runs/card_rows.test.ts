// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { cardRows, rowsWithin } from "./card_rows";

const sections = [
  { name: "a", cards: [1, 2, 3, 4, 5], open: true },
  { name: "b", cards: [6], open: false },
  { name: "c", cards: [7], open: true },
];
const all = cardRows(sections, 2, 30, 200, (card) => card === 3);

it("puts cards into rows, wide ones into rows of their own", () => {
  expect(all.rows.map((row) => (row.kind === "head" ? row.section.name : row.cards.join()))).toEqual([
    "a",
    "1,2",
    "3",
    "4,5",
    "b",
    "c",
    "7",
  ]);
  expect(all.rows.map((row) => row.top)).toEqual([0, 30, 230, 630, 830, 860, 890]);
  expect(all.height).toBe(1090);
});
it("finds the rows in view", () => {
  expect(rowsWithin(all, 0, 10).map((row) => row.top)).toEqual([0]);
  expect(rowsWithin(all, 229, 631).map((row) => row.top)).toEqual([30, 230, 630]);
  expect(rowsWithin(all, 2000, 3000)).toEqual([]);
});
