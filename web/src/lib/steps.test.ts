// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { stepBars } from "./steps";

const step = (name: string, duration_ns: number, complete = true) => ({ name, duration_ns, complete });
describe("steps", () => {
  const rows = [step("1", 30), step("2", 10), step("3", 20), step("4", 1, false)];
  it("puts steps together where there is no room, by their longest", () => {
    const bars = stepBars(rows, 2);
    expect(bars.map((bar) => [bar.first.name, bar.last.name, bar.shown.name, bar.count])).toEqual([
      ["1", "2", "1", 2],
      ["3", "4", "3", 2],
    ]);
  });
});
