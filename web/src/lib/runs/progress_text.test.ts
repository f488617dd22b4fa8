// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { howFar, howFast, howLong, progressText } from "./progress_text";

const KNOWN = { steps: 420, steps_per_second: 12.345, total_steps: 1000, share: 0.42, left_ns: 47e9 };

test("what is known of a run under way is said, and nothing else", () => {
  expect(howFar(KNOWN)).toBe("42 %");
  expect(progressText(KNOWN)).toBe("420 of 1,000 steps, 12.3 steps/s, 47 s left");
  const unknown = { ...KNOWN, total_steps: null, share: null, left_ns: null };
  expect(howFar(unknown)).toBe("420 steps");
  expect(progressText(unknown)).toBe("420 steps, 12.3 steps/s");
  expect(progressText({ ...unknown, steps_per_second: null })).toBe("420 steps");
});

test("slow steps are told by their time", () => {
  expect(howFast({ ...KNOWN, steps_per_second: 0.25 })).toBe("4 s a step");
  expect(howFast({ ...KNOWN, steps_per_second: 0 })).toBeNull();
});

test("a run at its end is about to end, never beyond it", () => {
  expect(howLong({ ...KNOWN, left_ns: 0 })).toBe("about to end");
  expect(howFar({ ...KNOWN, share: 0.9999 })).toBe("99 %");
});
