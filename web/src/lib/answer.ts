// SPDX-License-Identifier: Apache-2.0
// The sentence on top of the overview, made from the report as the command line makes it.
import type { StepsSection } from "../api/report";
import { mean } from "./steps";
import { time } from "./units";

// What is smaller is not worth a place in the sentence, unless nothing else is there.
const WORTH_SAYING = 0.1;
const WORTH_SAYING_ALONE = 0.02;
// From here on the device is the limit, not what it waits for.
const DEVICE_BOUND = 0.9;

const WORDS: readonly (readonly [number, string])[] = [
  [1 / 4, "a quarter"],
  [1 / 3, "a third"],
  [1 / 2, "half"],
  [2 / 3, "two thirds"],
  [3 / 4, "three quarters"],
];

export function sharePhrase(share: number): string {
  if (share >= 0.995) return "all of it";
  for (const [value, words] of WORDS) if (Math.abs(share - value) < 0.008) return words;
  return `${(share * 100).toFixed(0)} %`;
}

export interface AnswerFacts {
  readonly steps: StepsSection;
  readonly devices: readonly { readonly type: string; readonly kernel_count: number }[];
  readonly ranks: number;
}

export function stepAnswer({ steps, devices, ranks }: AnswerFacts): string {
  const complete = steps.rows.filter((row) => row.complete);
  const rows = complete.length > 0 ? complete : steps.rows;
  if (rows.length === 0) return "There is nothing to measure: no operator, kernel or step in this capture.";
  const { duration, times } = mean(rows);
  const whole = steps.source === "whole_trace";
  const over = ranks > 1 ? ` on average over ${ranks} ranks` : "";
  const subject = whole
    ? `The trace covers ${time(duration)}${over} (no steps are marked)`
    : `${steps.rows.length === 1 ? "The one recorded step takes" : "A step takes"} ${time(duration)}${over}`;
  if (duration <= 0) return `${subject}.`;
  const hasDevice = devices.some((device) => device.kernel_count > 0);
  const device = devices.every((d) => ["cuda", "hip", "xpu"].includes(d.type)) ? "GPU" : "accelerator";
  const kernel = times.kernel / duration;
  if (kernel >= DEVICE_BOUND) {
    return `${subject}, and the ${device} computes ${sharePhrase(kernel)} of it: more speed has to come from the kernels.`.replace(
      "all of it of it",
      "all of it",
    );
  }
  const parts = (
    [
      [times.memcpy + times.memset, "copying memory"],
      [times.communication, "in communication"],
      [times.runtime, `in ${device} runtime calls`],
      [times.dataloader, "waiting for the DataLoader"],
      [times.cpu_exec, hasDevice ? `in CPU operators while the ${device} waits` : "in operators"],
      [times.other, "outside any traced operator"],
    ] as const
  )
    .filter(([ns]) => ns > 0)
    .toSorted((a, b) => b[0] - a[0]);
  const phrases = hasDevice ? [`${sharePhrase(kernel)} computing on the ${device}`] : [];
  let first = true;
  for (const [ns, what] of parts) {
    if (ns / duration < (first ? WORTH_SAYING_ALONE : WORTH_SAYING) || phrases.length >= 3) break;
    phrases.push(`${sharePhrase(ns / duration)} ${what} (${time(ns)})`);
    first = false;
  }
  return `${subject}: ${phrases.join(", ")}.`;
}
