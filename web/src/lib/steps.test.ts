// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { STEP_CATEGORIES, type StepRow, type StepTimes } from "../api/report";
import { stepBars } from "./steps";

const times = (some: Partial<StepTimes>): StepTimes =>
  Object.fromEntries(STEP_CATEGORIES.map((c) => [c, some[c] ?? 0])) as StepTimes;
const step = (name: string, some: Partial<StepTimes>, complete = true, file = 0): StepRow => {
  const categories = times(some);
  const duration = STEP_CATEGORIES.reduce((sum, c) => sum + categories[c], 0);
  return {
    name,
    start_ns: Number(name) * 1e9,
    duration_ns: duration,
    complete,
    categories,
    device_events: 1,
    file,
  };
};
describe("steps", () => {
  const rows = [
    step("1", { kernel: 30 }),
    step("2", { kernel: 10 }),
    step("3", { kernel: 20 }),
    step("4", { kernel: 1 }, false),
  ];
  it("puts steps together where there is no room, by their longest", () => {
    const bars = stepBars(rows, 2);
    expect(bars.map((bar) => [bar.first.name, bar.last.name, bar.shown.name, bar.count])).toEqual([
      ["1", "2", "1", 2],
      ["3", "4", "3", 2],
    ]);
  });
});
