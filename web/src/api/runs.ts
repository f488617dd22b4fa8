// SPDX-License-Identifier: Apache-2.0
// What the server says of runs and of what they logged (docs/http-api.md).
import type { Logged } from "../lib/runs/numbers";
import { decodePoints, type Line } from "../lib/runs/points";
import { getBinary, getJson, postBinary, postJson } from "./client";
import type { HardwareRow } from "./runs.generated";

export type RunStatus = "Queued" | "Running" | "Completed" | "Failed" | "Canceled" | "Lost";
export type ConfigValue = string | number | boolean | null;
// Times beyond 2^53 come as digits.
export type Nanoseconds = number | string | null;
export const seconds = (ns: Nanoseconds | undefined): number | null =>
  ns === null || ns === undefined ? null : Number(ns) / 1e9;

export interface Metric {
  readonly points: number;
  readonly first_step: number;
  readonly last_step: number;
  readonly last: Logged;
  readonly min: Logged;
  readonly min_step: number | null;
  readonly max: Logged;
  readonly max_step: number | null;
  readonly spark?: readonly Logged[];
}

// How far a run is that is under way; what nobody can know is null.
export interface RunProgress {
  readonly steps: number;
  readonly steps_per_second: number | null;
  readonly total_steps: number | null;
  readonly share: number | null;
  readonly left_ns: number | null;
  readonly last_ns: Nanoseconds;
}

export interface Run {
  readonly id: string;
  readonly name: string; // unlike all others
  readonly title: string; // as people call it
  readonly path: string;
  readonly kind: string;
  readonly experiment: string | null;
  readonly group: string | null;
  readonly status: RunStatus | null;
  readonly start_ns: Nanoseconds;
  readonly end_ns: Nanoseconds;
  readonly duration_ns: Nanoseconds;
  readonly config: Readonly<Record<string, ConfigValue>>;
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly profiles: readonly { readonly id: string; readonly name: string }[];
  readonly progress?: RunProgress | null; // null: it is not under way, or says no steps
  readonly color: string | null;
  readonly order?: number;
  readonly pinned: boolean;
  readonly hidden: boolean;
  readonly deleted: boolean;
}

export interface RunList {
  readonly revision: number;
  readonly total: number; // that match
  readonly all: number;
  readonly offset: number;
  readonly running: number;
  readonly sentence?: string;
  readonly runs: readonly Run[];
}

export interface RunColumns {
  readonly config: readonly {
    readonly name: string;
    readonly distinct: number;
    readonly numeric: boolean;
    readonly examples: readonly ConfigValue[];
  }[];
  readonly metrics: readonly { readonly name: string; readonly runs: number; readonly points: number }[];
  readonly experiments: readonly string[];
  readonly groups: readonly string[];
  readonly tags: readonly string[];
  readonly statuses: readonly string[];
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: "folder" | "file";
  readonly bytes: number | null;
  readonly modified_ns?: Nanoseconds;
}
export interface Folder {
  readonly path: string;
  readonly total: number;
  readonly files: readonly FolderEntry[];
}

export interface RunWhole extends Run {
  readonly event_files: readonly { readonly path: string; readonly bytes: number | null }[];
  readonly diagnostics: readonly {
    readonly severity: string;
    readonly kind: string;
    readonly count: number;
    readonly first_offset: number | null;
    readonly message: string;
  }[];
  readonly sentence?: string;
}

export interface RunChange {
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly add_tags?: readonly string[];
  readonly remove_tags?: readonly string[];
  readonly note?: string | null;
  readonly color?: string;
  readonly pinned?: boolean;
  readonly hidden?: boolean;
  readonly deleted?: boolean;
}
export const editRuns = (ids: readonly string[], set: RunChange): Promise<{ changed: number }> =>
  postJson("runs/edit", { ids, set });

export interface TagInfo {
  readonly tag: string;
  readonly plugin: string;
  readonly runs: number;
  readonly points: number;
  readonly ids?: readonly string[]; // of the first runs that have it
  readonly display_name: string;
  readonly description: string;
}
export interface TagList {
  readonly embeddings: boolean; // files beside the series
  readonly tags: readonly TagInfo[];
}

export interface PointsRequest {
  readonly x: string; // "step", "relative", "wall" or "tag:NAME"
  readonly from: number | null;
  readonly to: number | null;
  readonly width: number; // pixels
  readonly smoothing: number;
  readonly hide_overwritten: boolean;
  readonly charts: readonly { readonly tag: string; readonly runs: readonly string[] }[];
  readonly group?: { readonly by: "all"; readonly band: "minmax" | "deviation" };
}
export async function askPoints(request: PointsRequest, signal?: AbortSignal): Promise<readonly Line[]> {
  return decodePoints(await postBinary("series/points", request, signal));
}

export const askRuns = (query: Parameters<typeof getJson>[1], signal?: AbortSignal): Promise<RunList> =>
  getJson<RunList>("runs", query, signal);

// One run over time.
export interface LaneLine {
  readonly tag: string;
  readonly label: string;
}
export interface Lane {
  readonly key: string;
  readonly title: string;
  readonly unit: string;
  readonly divisor: number; // of values as they are logged
  readonly kind: "values" | "rate";
  readonly lines: readonly LaneLine[];
}
export interface StoryEvent {
  readonly kind: "start" | "restart" | "error" | "end";
  readonly at_ns: string;
  readonly text: string;
}
export interface RunStory {
  readonly sentence: string;
  readonly from_ns: string | null;
  readonly to_ns: string | null;
  readonly lanes: readonly Lane[];
  readonly events: readonly StoryEvent[];
  readonly log: string | null; // the one that has times
  readonly logs: number;
  readonly progress: RunProgress | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly command: readonly string[];
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly frames: readonly {
      readonly file: string;
      readonly line: number | null;
      readonly function: string;
    }[];
  } | null;
  readonly ranks: readonly {
    readonly rank: number;
    readonly host: string;
    readonly pid: number | null;
    readonly status: string | null;
    readonly exit_code: number | null;
    readonly signal: string | null;
  }[];
}
// What a profile has of some of its run's time.
export interface ProfileMoment {
  readonly from_ns: string | null; // all that it has; null: it does not say
  readonly to_ns: string | null;
  readonly between: string | null; // for functions; null: none ran then
  readonly steps: {
    readonly first: number;
    readonly last: number;
    readonly away_ns: number; // 0: they are of this time
    readonly sentence: string;
    readonly view: "operators" | "simple";
  } | null;
}
export async function askRate(
  run: string,
  query: { readonly tag: string; readonly start: string; readonly end: string; readonly parts: number },
  signal?: AbortSignal,
): Promise<readonly Line[]> {
  return decodePoints(await getBinary(`runs/${encodeURIComponent(run)}/rate`, query, signal));
}

export interface HardwareChart {
  readonly title: string;
  readonly unit: string;
  readonly divisor: number;
  readonly lines: readonly LaneLine[];
}
export interface Hardware {
  readonly sentence: string;
  readonly from: number | null; // seconds since 1970
  readonly to: number | null;
  readonly interval_s: number | null;
  readonly energy: readonly {
    readonly device: string;
    readonly watt_hours: number;
    readonly counted: boolean;
  }[];
  readonly charts: readonly HardwareChart[];
  readonly total: number;
  readonly rows: readonly HardwareRow[];
}

export interface LogFile {
  readonly path: string;
  readonly bytes: number;
  readonly modified_ns: string;
  readonly rank: number | null;
}
export interface LogFiles {
  readonly total: number;
  readonly logs: readonly LogFile[];
}
export interface LogState {
  readonly bytes: number;
  readonly indexed_bytes: number;
  readonly generation: number;
  readonly lines: number;
  readonly open: boolean; // the last line has no end yet
  readonly timed_lines: number;
  readonly warnings: number;
  readonly errors: number;
  readonly first_ns: string | null;
  readonly last_ns: string | null;
}
export interface LogRow {
  readonly line: number; // from 1
  readonly time_ns: string | null;
  readonly level?: "warning" | "error";
  readonly text: string;
  readonly bytes?: number; // of all of it, where it was cut
  readonly matches?: boolean;
}
export interface LogLines extends LogState {
  readonly sentence: string;
  readonly at_line: number | null;
  readonly rows: readonly LogRow[];
}
export interface LogMatches extends LogState {
  readonly total: number;
  readonly cut: boolean;
  readonly line: number | null;
  readonly place: number | null; // of it among all, from 1
}
export interface LogDensity extends LogState {
  readonly exact: boolean;
  readonly lines_of: readonly number[];
  readonly warnings_of: readonly number[];
  readonly errors_of: readonly number[];
}

// The stream's event "runs".
export interface RunsEvent {
  readonly revision: number;
  readonly changed: readonly {
    readonly id: string;
    readonly tags: readonly { readonly tag: string; readonly points: number }[];
  }[];
  readonly added: readonly string[];
  readonly gone: readonly string[];
}
