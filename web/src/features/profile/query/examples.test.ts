// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import type { Captured } from "../../../api/types";
import { examplesFor, firstQuery } from "./examples";

it("begins with what the profile holds", () => {
  const first = (...captured: readonly Captured[]): string => firstQuery(examplesFor("trace"), captured);
  expect(first("operators", "device_events")).toContain("FROM kernels");
  expect(first("operators", "shapes")).toContain("FROM operators");
  expect(first()).toContain("FROM events");
  expect(firstQuery(examplesFor("functions"), [])).toContain("FROM functions");
});
