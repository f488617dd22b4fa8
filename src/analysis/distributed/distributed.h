// SPDX-License-Identifier: Apache-2.0
// A run on several ranks, from the traces of all or some of them: computation, communication and
// their overlap per rank and step; what each collective costs, how much of it is transfer and how
// much waiting; and who keeps the others waiting. docs/analyses/distributed.md has the exact
// definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/distributed/alignment.h"
#include "analysis/distributed/stragglers.h"

namespace telltale {

// Computation, overlap, communication and other add up to the duration.
struct RankTimes {
  int64_t duration_ns = 0;
  int64_t computation_ns = 0;    // without communication at the same time
  int64_t overlap_ns = 0;        // both at the same time
  int64_t communication_ns = 0;  // without computation at the same time
  int64_t other_ns = 0;
  // Of the communication that is matched with other ranks; none without any.
  std::optional<int64_t> transfer_ns;
  std::optional<int64_t> waiting_ns;
};

struct RankStep {
  uint32_t file = 0;
  std::string name;
  int64_t start_ns = 0;  // on the common clock
  bool complete = true;
  RankTimes times;
};

struct RankRow {
  uint32_t file = 0;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::string backend;  // empty: not captured
  FileAlignment clock;
  uint64_t collectives = 0;
  uint64_t matched = 0;
  uint64_t unmatched = 0;  // others captured the group, but not this call
  uint64_t alone = 0;      // nobody else captured the group
  uint64_t steps = 0;      // complete ones
  RankTimes average;       // over them, rounded down
};

// All calls of one kind, group, element type and size class, over all ranks.
struct CollectiveRow {
  std::string name;  // all_reduce …; for unknown kinds as captured
  std::optional<std::string> group;
  std::optional<int64_t> group_size;
  std::optional<std::string> dtype;
  uint64_t calls = 0;  // of all ranks together
  // Message sizes (MessageBytes in collectives.h); within a factor of 2 of each other.
  std::optional<int64_t> bytes;  // of all calls
  std::optional<int64_t> bytes_min;
  std::optional<int64_t> bytes_max;
  // None where the capture has only the calls, not the communication.
  std::optional<int64_t> total_ns;
  std::optional<int64_t> mean_ns;
  std::optional<int64_t> min_ns;
  std::optional<int64_t> max_ns;
  uint64_t matched = 0;                // collectives that several ranks captured
  std::optional<int64_t> transfer_ns;  // sum over these of the shortest rank's time
  std::optional<int64_t> waiting_ns;   // sum over these and their ranks of the time beyond
  std::optional<double> algorithm_bandwidth_gb_per_s;
  std::optional<double> bus_bandwidth_gb_per_s;
  uint64_t first_event = 0;
};

struct MatchMember {
  uint32_t file = 0;
  SpanRow span = kNoRow;  // its first kernel, or its host range
  int64_t start_ns = 0;   // on the common clock
  int64_t duration_ns = 0;
  int64_t waiting_ns = 0;
};

// One collective that several ranks captured.
struct MatchRow {
  std::string name;
  std::optional<std::string> group;
  std::optional<int64_t> sequence;
  std::optional<std::string> dtype;
  std::optional<int64_t> bytes;
  std::string step;  // empty: in none
  int64_t start_ns = 0;
  int64_t start_skew_ns = 0;
  int64_t transfer_ns = 0;
  std::optional<double> algorithm_bandwidth_gb_per_s;
  std::optional<double> bus_bandwidth_gb_per_s;
  std::optional<uint32_t> last_file;
  std::vector<MatchMember> members;
};

struct DistributedReport {
  std::vector<RankRow> ranks;
  std::vector<RankStep> steps;             // by file, in order
  std::vector<CollectiveRow> collectives;  // by total time
  std::vector<MatchRow> matches;           // in order of the first rank
  Stragglers stragglers;
  std::vector<int64_t> missing_ranks;  // of the world, not among the files; at most kMostMissing
  uint64_t missing_rank_count = 0;
  bool device_calls_without_kernels = false;  // NCCL was called, but no kernel was captured
};
constexpr size_t kMostMissing = 64;

[[nodiscard]] DistributedReport DescribeDistributed(std::span<const TraceContext> contexts);

}  // namespace telltale
