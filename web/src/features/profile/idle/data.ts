// SPDX-License-Identifier: Apache-2.0
// The sections idle and launches of a report (docs/analyses/idle.md, launches.md).
import {
  type GapRow,
  IDLE_CAUSES,
  type IdleRow,
  type LaunchRow,
  type LaunchSummary,
  type QueueRow,
} from "../../../api/generated";
import { rankLabel } from "../../../lib/steps";
import type { FileInfo } from "../../../state/report";

export type IdleCause = keyof typeof IDLE_CAUSES;

const COLORS: Readonly<Record<IdleCause, string>> = {
  input: "--c-dataloader",
  synchronisation: "--c-sync",
  host_wait: "--c-operator",
  kernel_wait: "--c-step",
  other: "--c-other",
};
export const CAUSES = (Object.keys(IDLE_CAUSES) as IdleCause[]).map((key) => ({
  key,
  title: IDLE_CAUSES[key],
  color: COLORS[key],
}));

export interface IdleReport {
  readonly idle: {
    readonly kernel_wait_below_ns: number;
    readonly rows: readonly IdleRow[];
    readonly longest_gaps: readonly GapRow[];
  } | null;
}

export interface LaunchesReport {
  readonly launches: {
    readonly full_queue_length: number;
    readonly files: readonly LaunchSummary[];
    readonly rows: readonly LaunchRow[];
    readonly queues: readonly QueueRow[];
  } | null;
}

export const laneName = (
  lane: { readonly device: number | null; readonly stream: number | null; readonly file: number },
  files: readonly FileInfo[],
): string =>
  `${files.length > 1 ? `${rankLabel(files, lane.file)}, ` : ""}device ${lane.device ?? "–"}${lane.stream === null ? "" : `, stream ${lane.stream}`}`;
