// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { examplesFor, firstQuery } from "./examples";

it("begins with what the profile holds", () => {
  const first = (kernels: number, operators: number): string =>
    firstQuery(examplesFor("trace"), { kernels, operators });
  expect(first(5, 9)).toContain("FROM kernels");
  expect(first(0, 9)).toContain("FROM operators");
  expect(first(0, 0)).toContain("FROM events");
  expect(firstQuery(examplesFor("trace"), null)).toContain("FROM kernels");
  expect(firstQuery(examplesFor("functions"), null)).toContain("FROM functions");
});
