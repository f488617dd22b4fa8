// SPDX-License-Identifier: Apache-2.0
// The eight exclusive parts of a step: their names for people, their colours, what they mean.

export const STEP_CATEGORIES = [
  "kernel",
  "memcpy",
  "memset",
  "communication",
  "runtime",
  "dataloader",
  "cpu_exec",
  "other",
] as const;
export type StepCategory = (typeof STEP_CATEGORIES)[number];

export const CATEGORY_TITLES: Readonly<Record<StepCategory, string>> = {
  kernel: "Kernels",
  memcpy: "Memory copies",
  memset: "Memory sets",
  communication: "Communication",
  runtime: "Runtime calls",
  dataloader: "DataLoader",
  cpu_exec: "CPU operators",
  other: "Other",
};

export const CATEGORY_HELP: Readonly<Record<StepCategory, string>> = {
  kernel: "A compute kernel runs on the device",
  memcpy: "No kernel runs; memory is copied",
  memset: "No kernel or copy runs; memory is set",
  communication: "Only communication: NCCL, gloo and the like",
  runtime: "The device has nothing to do; the host is in a call of the CUDA (or ROCm …) runtime",
  dataloader: "The device has nothing to do; the host waits for the DataLoader",
  cpu_exec: "The device has nothing to do; the host is in an operator",
  other: "The device has nothing to do, and the host is in nothing that was traced",
};

export const categoryColor = (category: string): string => `var(--c-${category})`;
