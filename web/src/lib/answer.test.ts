// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { STEP_CATEGORIES, type StepRow, type StepsSection, type StepTimes } from "../api/report";
import { sharePhrase, stepAnswer } from "./answer";
import { stepBars, typicalStep } from "./steps";
import { stepsAnswer } from "./steps_answer";

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
const section = (
  rows: readonly StepRow[],
  source: StepsSection["source"] = "ProfilerStep",
): StepsSection => ({
  source,
  average_ns: null,
  categories: times({}),
  rows,
});
const gpu = [{ type: "cuda", kernel_count: 10 }];

describe("the overview's sentence", () => {
  it("names what the device waits for", () => {
    const steps = section([step("5", { kernel: 98.6e6, dataloader: 59.3e6, cpu_exec: 13.7e6, memcpy: 6e6 })]);
    expect(stepAnswer({ steps, devices: gpu, ranks: 0 })).toBe(
      "The one recorded step takes 177.6 ms: 56 % computing on the GPU, a third waiting for the DataLoader (59.30 ms).",
    );
  });
  it("says when only kernels can be faster", () => {
    const steps = section([step("1", { kernel: 95e6, other: 5e6 }), step("2", { kernel: 95e6, other: 5e6 })]);
    expect(stepAnswer({ steps, devices: gpu, ranks: 0 })).toContain("the GPU computes 95 % of it");
  });
  it("says that nothing marks steps, and what a CPU does", () => {
    const steps = section([step("1", { cpu_exec: 9e6, other: 1e6 })], "whole_trace");
    expect(stepAnswer({ steps, devices: [], ranks: 0 })).toBe(
      "The trace covers 10.00 ms (no steps are marked): 90 % in operators (9.000 ms), 10 % outside any traced operator (1.000 ms).",
    );
  });
  it("leaves incomplete steps out and counts ranks", () => {
    const steps = section([step("1", { communication: 10e6 }), step("2", { communication: 90e6 }, false)]);
    expect(stepAnswer({ steps, devices: [], ranks: 2 })).toContain(
      "takes 10.00 ms on average over 2 ranks: all of it in communication",
    );
  });
  it("has words for nothing", () => {
    expect(stepAnswer({ steps: section([]), devices: [], ranks: 0 })).toContain("nothing to measure");
  });
});

it("puts shares into words", () => {
  expect([0.334, 0.5, 0.251, 0.66, 0.999, 0.12].map(sharePhrase)).toEqual([
    "a third",
    "half",
    "a quarter",
    "two thirds",
    "all of it",
    "12 %",
  ]);
});

describe("steps", () => {
  const rows = [
    step("1", { kernel: 30 }),
    step("2", { kernel: 10 }),
    step("3", { kernel: 20 }),
    step("4", { kernel: 1 }, false),
  ];
  it("takes the complete one of median length as typical", () => {
    expect(typicalStep(rows)?.name).toBe("3");
    expect(typicalStep([])).toBeNull();
  });
  it("puts steps together where there is no room, by their longest", () => {
    const bars = stepBars(rows, 2);
    expect(bars.map((bar) => [bar.first.name, bar.last.name, bar.shown.name, bar.count])).toEqual([
      ["1", "2", "1", 2],
      ["3", "4", "3", 2],
    ]);
  });
  it("says how even they are and what made the longest long", () => {
    const uneven = section([
      step("1", { kernel: 10e6 }),
      step("2", { kernel: 10e6 }),
      step("3", { kernel: 10e6, dataloader: 5e6 }),
    ]);
    expect(stepsAnswer(uneven)).toBe(
      "3 steps of 10.00 ms (median); the longest, 3, takes 15.00 ms, 5.000 ms of the difference in DataLoader.",
    );
    expect(stepsAnswer(section(rows.slice(0, 1)))).toBe("One complete step of 30 ns.");
  });
});
