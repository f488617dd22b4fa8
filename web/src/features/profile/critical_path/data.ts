// SPDX-License-Identifier: Apache-2.0
// The section critical_path of a report (docs/analyses/critical_path.md).

export const CAUSES = [
  { key: "kernel", title: "kernel", color: "--c-kernel" },
  { key: "communication", title: "communication", color: "--c-communication" },
  { key: "memcpy", title: "copy", color: "--c-memcpy" },
  { key: "memset", title: "memory set", color: "--c-memset" },
  { key: "data_loading", title: "data loading", color: "--c-dataloader" },
  { key: "operator", title: "operator", color: "--c-operator" },
  { key: "runtime", title: "runtime call", color: "--c-runtime" },
  { key: "synchronization", title: "waiting call", color: "--c-sync" },
  { key: "launch_delay", title: "launch delay", color: "--c-overhead" },
  { key: "kernel_gap", title: "gap between kernels", color: "--c-step" },
  { key: "host_other", title: "host, no operator", color: "--c-other" },
  { key: "idle", title: "idle", color: "--c-idle" },
] as const;
export type CauseKey = (typeof CAUSES)[number]["key"];
type ByCause = Readonly<Partial<Record<CauseKey, number>>>;

export const causeTitle = (key: string): string => CAUSES.find((c) => c.key === key)?.title ?? key;

export interface CauseRow {
  readonly cause: string;
  readonly name: string | null;
  readonly pieces: number;
  readonly average_ns: number;
  readonly path_share: number;
  readonly average_if_free_ns: number | null;
}

export interface Region {
  readonly name: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly pieces: number;
  readonly causes: ByCause;
  readonly file: number | null;
}

export interface Piece {
  readonly region: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly cause: string;
  readonly name: string | null;
  readonly pid: string | null;
  readonly tid: string | null;
  readonly file: number | null;
}

export interface CriticalPath {
  readonly region: "step" | "annotation" | "whole_trace";
  readonly joined_ranks: boolean;
  readonly average_ns: number;
  readonly average_causes: ByCause;
  readonly shares: ByCause;
  readonly causes: readonly CauseRow[];
  readonly regions: readonly Region[];
  readonly notes: Readonly<Record<string, number | boolean>>;
  readonly pieces?: readonly Piece[];
}

export interface CriticalPathReport {
  readonly critical_path: CriticalPath | null;
}
