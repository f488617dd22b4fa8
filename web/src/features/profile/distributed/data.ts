// SPDX-License-Identifier: Apache-2.0
// The section distributed of a report (docs/analyses/distributed.md).

import type { CollectiveRow, MatchRow, RankRow, RankStepRow, StragglerRow } from "../../../api/generated";

export interface Distributed {
  readonly ranks: readonly RankRow[];
  readonly missing_ranks: readonly number[];
  readonly missing_rank_count: number;
  readonly steps: readonly RankStepRow[];
  readonly collectives: readonly CollectiveRow[];
  readonly matches: readonly MatchRow[];
  readonly stragglers: {
    readonly decided: number;
    readonly undecided: number;
    readonly steps: number;
    readonly rows: readonly StragglerRow[];
  };
}
export interface DistributedReport {
  readonly distributed: Distributed | null;
}

export const rankName = (ranks: readonly RankRow[], file: number | null): string => {
  if (file === null) return "undecided";
  const rank = ranks.find((r) => r.file === file)?.rank;
  return rank === null || rank === undefined ? `file ${file}` : `rank ${rank}`;
};
