// SPDX-License-Identifier: Apache-2.0
// The sections idle, launches and copies of a report (docs/analyses/idle.md, launches.md).

export const IDLE_CAUSES = [
  { key: "input", title: "waiting for input", color: "--c-dataloader" },
  { key: "synchronisation", title: "after a synchronisation", color: "--c-sync" },
  { key: "host_wait", title: "host not there in time", color: "--c-operator" },
  { key: "kernel_wait", title: "between two kernels", color: "--c-step" },
  { key: "other", title: "other", color: "--c-other" },
] as const;
export type IdleCause = (typeof IDLE_CAUSES)[number]["key"];

type Causes = { readonly [K in IdleCause as `${K}_ns` | `${K}_gaps`]: number };

export interface Lane extends Causes {
  readonly file: number;
  readonly scope: "device" | "stream";
  readonly device: number | null;
  readonly stream: number | null;
  readonly events: number;
  readonly window_ns: number;
  readonly busy_ns: number;
  readonly idle_ns: number;
  readonly idle_share: number;
  readonly gaps: number;
  readonly gap_min_ns: number | null;
  readonly gap_mean_ns: number | null;
  readonly gap_max_ns: number | null;
}

export interface Gap {
  readonly file: number;
  readonly device: number | null;
  readonly stream: number | null;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly cause: IdleCause;
  readonly before: string | null;
  readonly after: string | null;
  readonly host: string | null;
  readonly host_ns: number | null;
}

export interface IdleReport {
  readonly idle: {
    readonly kernel_wait_below_ns: number;
    readonly rows: readonly Lane[];
    readonly longest_gaps: readonly Gap[];
  } | null;
}

export interface LaunchRow {
  readonly file: number;
  readonly name: string;
  readonly calls: number;
  readonly device_events: number;
  readonly host_total_ns: number;
  readonly host_mean_ns: number;
  readonly host_max_ns: number;
  readonly device_total_ns: number;
  readonly delay_mean_ns: number | null;
  readonly delay_median_ns: number | null;
  readonly delay_p99_ns: number | null;
  readonly delay_max_ns: number | null;
  readonly short_calls: number;
  readonly short_share: number;
}

export interface Queue {
  readonly file: number;
  readonly device: number | null;
  readonly stream: number | null;
  readonly launches: number;
  readonly max_length: number;
  readonly mean_length: number;
  readonly window_ns: number;
  readonly full_ns: number;
  readonly full_share: number;
}

export interface LaunchesReport {
  readonly launches: {
    readonly full_queue_length: number;
    readonly files: readonly {
      readonly file: number;
      readonly launches: number;
      readonly device_events: number;
      readonly launch_missing: number;
      readonly graph_launches: number;
      readonly graph_device_events: number;
      readonly short_launches: number;
      readonly short_share: number;
      readonly host_total_ns: number;
      readonly launches_per_step: number | null;
      readonly launches_per_second: number | null;
    }[];
    readonly rows: readonly LaunchRow[];
    readonly queues: readonly Queue[];
  } | null;
}

export const laneName = (
  lane: { device: number | null; stream: number | null; file: number },
  files: number,
): string =>
  `${files > 1 ? `file ${lane.file}, ` : ""}device ${lane.device ?? "–"}${lane.stream === null ? "" : `, stream ${lane.stream}`}`;
