// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { isWork } from "./operators";

it("takes operators and what launches device work itself, not names and steps", () => {
  const row = (name: string, kind: string, device_self_ns = 0) => isWork({ name, kind, device_self_ns });
  expect(row("aten::mm", "operator")).toBe(true);
  expect(row("## Call CompiledFxGraph", "annotation", 5)).toBe(true);
  expect(row("train", "annotation")).toBe(false);
  expect(row("ProfilerStep#1", "operator")).toBe(false);
});
