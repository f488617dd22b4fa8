// SPDX-License-Identifier: Apache-2.0
// The section distributed of a report (docs/analyses/distributed.md).

interface Parts {
  readonly computation_ns: number;
  readonly overlap_ns: number;
  readonly communication_ns: number;
  readonly other_ns: number;
  readonly transfer_ns: number | null;
  readonly waiting_ns: number | null;
}

export interface Rank extends Parts {
  readonly file: number;
  readonly rank: number | null;
  readonly world_size: number | null;
  readonly backend: string | null;
  readonly clock: "reference" | "collectives" | "wall_clock";
  readonly clock_offset_ns: number;
  readonly clock_error_ns: number | null;
  readonly collectives: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly alone: number;
  readonly steps: number;
  readonly average_ns: number;
}

export interface StepOfRank extends Parts {
  readonly file: number;
  readonly name: string;
  readonly start_ns: number;
  readonly duration_ns: number;
  readonly complete: boolean;
}

export interface Collective {
  readonly name: string;
  readonly group: string | null;
  readonly group_size: number | null;
  readonly dtype: string | null;
  readonly calls: number;
  readonly total_bytes: number | null;
  readonly min_bytes: number | null;
  readonly max_bytes: number | null;
  readonly total_ns: number | null;
  readonly mean_ns: number | null;
  readonly min_ns: number | null;
  readonly max_ns: number | null;
  readonly matched: number;
  readonly transfer_ns: number | null;
  readonly waiting_ns: number | null;
  readonly algorithm_bandwidth_gb_per_s: number | null;
  readonly bus_bandwidth_gb_per_s: number | null;
}

export interface Match {
  readonly name: string;
  readonly group: string | null;
  readonly dtype: string | null;
  readonly bytes: number | null;
  readonly step: string | null;
  readonly start_ns: number;
  readonly start_skew_ns: number | null;
  readonly transfer_ns: number | null;
  readonly bus_bandwidth_gb_per_s: number | null;
  readonly last_file: number | null;
  readonly members: readonly {
    readonly file: number;
    readonly row: number; // of the event
    readonly start_ns: number;
    readonly duration_ns: number | null;
    readonly waiting_ns: number | null;
  }[];
}

export interface Straggler {
  readonly file: number;
  readonly last: number;
  readonly last_share: number;
  readonly steps_last: number;
  readonly others_waited_ns: number;
  readonly meanwhile: readonly {
    readonly name: string;
    readonly kind: string;
    readonly time_ns: number;
    readonly others_ns: number;
  }[];
}

export interface Distributed {
  readonly ranks: readonly Rank[];
  readonly missing_ranks: readonly number[];
  readonly missing_rank_count: number;
  readonly steps: readonly StepOfRank[];
  readonly collectives: readonly Collective[];
  readonly matches: readonly Match[];
  readonly stragglers: {
    readonly decided: number;
    readonly undecided: number;
    readonly steps: number;
    readonly rows: readonly Straggler[];
  };
}
export interface DistributedReport {
  readonly distributed: Distributed | null;
}

export const rankName = (ranks: readonly Rank[], file: number | null): string => {
  if (file === null) return "undecided";
  const rank = ranks.find((r) => r.file === file)?.rank;
  return rank === null || rank === undefined ? `file ${file}` : `rank ${rank}`;
};
