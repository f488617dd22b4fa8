// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { mergedLayout } from "./layouts";

const chart = (title: string, ...tag: readonly string[]) => ({ title, multiline: { tag } });

it("joins categories of one title, and shows the same chart once", () => {
  const one = { category: [{ title: "a", closed: false, chart: [chart("x", "loss"), chart("y", "acc")] }] };
  const two = {
    category: [
      { title: "b", closed: true, chart: [chart("x", "loss")] },
      { title: "a", closed: true, chart: [chart("x", "loss"), chart("x", "other")] },
    ],
  };
  expect(mergedLayout([one, two])).toEqual({
    category: [
      { title: "a", closed: false, chart: [chart("x", "loss"), chart("y", "acc"), chart("x", "other")] },
      { title: "b", closed: true, chart: [chart("x", "loss")] },
    ],
  });
  expect(mergedLayout([])).toEqual({ category: [] });
});
