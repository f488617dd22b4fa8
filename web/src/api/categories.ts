// SPDX-License-Identifier: Apache-2.0
// The exclusive parts of a step, as the table of steps has them: their names for people, what they mean, their colours.
import { STEPS, type StepRow } from "./generated";

export type StepCategory = keyof StepRow["categories"];

const PARTS = STEPS.filter(({ group }) => group === "categories");
const each = (of: (part: (typeof PARTS)[number]) => string) =>
  Object.fromEntries(PARTS.map((part) => [part.key, of(part)])) as Readonly<Record<StepCategory, string>>;

export const STEP_CATEGORIES = PARTS.map(({ key }) => key as StepCategory);
export const CATEGORY_TITLES = each(({ title }) => title);
export const CATEGORY_HELP = each(({ help }) => help ?? "");

export const categoryColor = (category: string): string => `var(--c-${category})`;
