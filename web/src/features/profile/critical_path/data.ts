// SPDX-License-Identifier: Apache-2.0
// The section critical_path of a report (docs/analyses/critical_path.md).

import {
  PATH_CAUSE_TITLES,
  type PATH_REGION_TITLES,
  type PathCauseRow,
  type PathPieceRow,
  type PathRegionRow,
} from "../../../api/generated";

export type CauseKey = keyof typeof PATH_CAUSE_TITLES;
type ByCause = Readonly<Partial<Record<string, number>>>;

// In the order in which they are drawn.
const COLORS: Readonly<Record<CauseKey, string>> = {
  kernel: "--c-kernel",
  communication: "--c-communication",
  memcpy: "--c-memcpy",
  memset: "--c-memset",
  data_loading: "--c-dataloader",
  operator: "--c-operator",
  runtime: "--c-runtime",
  synchronization: "--c-sync",
  launch_delay: "--c-overhead",
  kernel_gap: "--c-step",
  host_other: "--c-other",
  idle: "--c-idle",
};
export const CAUSES = (Object.keys(COLORS) as CauseKey[]).map((key) => ({
  key,
  title: PATH_CAUSE_TITLES[key],
  color: COLORS[key],
}));

export const causeTitle = (key: string): string => PATH_CAUSE_TITLES[key as CauseKey] ?? key;

export interface CriticalPath {
  readonly region: keyof typeof PATH_REGION_TITLES;
  readonly joined_ranks: boolean;
  readonly average_ns: number;
  readonly average_causes: ByCause;
  readonly shares: ByCause;
  readonly causes: readonly PathCauseRow[];
  readonly regions: readonly PathRegionRow[];
  readonly notes: Readonly<Record<string, number | boolean>>;
  readonly pieces?: readonly PathPieceRow[];
}

export interface CriticalPathReport {
  readonly critical_path: CriticalPath | null;
}
