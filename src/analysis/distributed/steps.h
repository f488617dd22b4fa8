// SPDX-License-Identifier: Apache-2.0
// How a rank's steps divide into computation, communication and their overlap. Part of
// distributed.h.
#pragma once

#include <optional>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/intervals.h"
#include "analysis/distributed/collectives.h"
#include "analysis/distributed/distributed.h"

namespace telltale {

// A matched call of this rank: when it ran and how long the transfer alone took.
struct MatchedTime {
  Interval time;
  int64_t transfer_ns = 0;
};

// The selected steps. `matched` in any order. Starts are as written: the caller knows the clock.
[[nodiscard]] std::vector<RankStep> DescribeRankSteps(const TraceContext& context,
                                                      const std::vector<CollectiveCall>& calls,
                                                      const std::vector<MatchedTime>& matched);

// Means over the complete ones, rounded down.
[[nodiscard]] RankTimes AverageTimes(const std::vector<RankStep>& steps);

}  // namespace telltale
