// SPDX-License-Identifier: Apache-2.0
// How far a run is, in a few words: only what is known.
import { duration, shortNumber } from "./numbers";

export interface ProgressNumbers {
  readonly steps: number;
  readonly steps_per_second: number | null;
  readonly total_steps: number | null;
  readonly share: number | null;
  readonly left_ns: number | null;
}

const count = (n: number): string => n.toLocaleString("en-US");

// "42 %", "1,200 steps": what is said first.
export const howFar = ({ steps, share }: ProgressNumbers): string =>
  share === null ? `${count(steps)} steps` : `${Math.floor(share * 100)} %`;

// "12.3 steps/s", or seconds for a step that takes long.
export function howFast({ steps_per_second: rate }: ProgressNumbers): string | null {
  if (rate === null || !(rate > 0)) return null;
  return rate >= 1 ? `${shortNumber(Number(rate.toPrecision(3)))} steps/s` : `${duration(1 / rate)} a step`;
}

export const howLong = ({ left_ns: left }: ProgressNumbers): string | null =>
  left === null ? null : left <= 0 ? "about to end" : `${duration(left / 1e9)} left`;

export function progressText(progress: ProgressNumbers): string {
  const steps =
    progress.total_steps === null
      ? `${count(progress.steps)} steps`
      : `${count(progress.steps)} of ${count(progress.total_steps)} steps`;
  return [steps, howFast(progress), howLong(progress)].filter((part) => part !== null).join(", ");
}
