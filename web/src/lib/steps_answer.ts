// SPDX-License-Identifier: Apache-2.0
// The sentence on top of the steps: how even they are.
import { STEP_CATEGORIES, type StepCategory, type StepRow, type StepsSection } from "../api/report";
import { CATEGORY_TITLES } from "./category";
import { typicalStep } from "./steps";
import { time } from "./units";

export function stepsAnswer(steps: StepsSection | undefined): string {
  if (steps === undefined || steps.rows.length === 0) return "This capture has no steps.";
  if (steps.source === "whole_trace")
    return `No steps are marked, so the whole trace counts as one of ${time(steps.rows[0]?.duration_ns)}.`;
  const complete = steps.rows.filter((row) => row.complete);
  const cut = steps.rows.length - complete.length;
  const tail =
    cut > 0 ? ` ${cut === 1 ? "One more is" : `${cut} more are`} incomplete and left out of averages.` : "";
  const overall = typicalStep(steps.rows) as StepRow;
  if (complete.length < 2) return `One complete step of ${time(overall.duration_ns)}.${tail}`;
  const longest = complete.reduce((a, b) => (b.duration_ns > a.duration_ns ? b : a));
  // What made it long shows against a step of the same rank.
  const typical = typicalStep(steps.rows.filter((row) => row.file === longest.file)) ?? overall;
  const more = longest.duration_ns - typical.duration_ns;
  const text = `${complete.length} steps of ${time(overall.duration_ns)} (median)`;
  if (more / Math.max(1, typical.duration_ns) < 0.05) return `${text}, all within 5 % of each other.${tail}`;
  const grown = (c: StepCategory): number => longest.categories[c] - typical.categories[c];
  const cause = STEP_CATEGORIES.reduce((a, b) => (grown(b) > grown(a) ? b : a));
  return `${text}; the longest, ${longest.name}, takes ${time(longest.duration_ns)}, ${time(grown(cause))} of the difference in ${CATEGORY_TITLES[cause].replace(/^[A-Z](?=[a-z]+( |$))/, (c) => c.toLowerCase())}.${tail}`;
}
