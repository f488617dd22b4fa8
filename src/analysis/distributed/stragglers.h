// SPDX-License-Identifier: Apache-2.0
// Who holds the others up: for each matched collective the rank that came last, how long the others
// waited for it, and what it did before that the others did not. docs/analyses/distributed.md has
// the exact definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/distributed/alignment.h"
#include "analysis/distributed/collectives.h"
#include "analysis/distributed/match_collectives.h"

namespace telltale {

enum class ActivityKind : uint8_t { kOperator, kAnnotation, kRuntime, kKernel, kMemcpy, kMemset };
[[nodiscard]] std::string_view NameOf(ActivityKind kind);

// Something a late rank did between its collective before and its late arrival.
struct Activity {
  std::string name;
  ActivityKind kind = ActivityKind::kOperator;
  int64_t time_ns = 0;    // of the host: self time
  int64_t others_ns = 0;  // the same on the other ranks before the same collectives, on average
};

struct StragglerRow {
  uint32_t file = 0;
  uint64_t last = 0;                // collectives in which it came last
  uint64_t steps_last = 0;          // steps in which the others waited longest for it
  int64_t waited_ns = 0;            // how long the others waited for it, summed over them
  std::vector<Activity> meanwhile;  // what it did more than the others, most of it first
};

// When the members of one match came.
struct Arrival {
  int64_t first_ns = 0;  // on the common clock
  int64_t skew_ns = 0;   // from the first to the last
  // Who came last; none where that is within the error of the clocks, or the error is not known.
  std::optional<uint32_t> last_file;
};

// None where a member has no time.
[[nodiscard]] std::optional<Arrival> ArrivalOf(std::span<const TraceContext> contexts,
                                               std::span<const std::vector<CollectiveCall>> calls,
                                               const Alignment& alignment,
                                               std::span<const CollectiveMember> members);

struct Stragglers {
  uint64_t decided = 0;            // matched collectives whose last rank is known
  uint64_t undecided = 0;          // all came within the error of the clocks
  uint64_t steps = 0;              // steps with a decided collective
  std::vector<StragglerRow> rows;  // by the time the others waited; only ranks that came last
};

// `selected`: by match, whether it counts.
[[nodiscard]] Stragglers FindStragglers(std::span<const TraceContext> contexts,
                                        std::span<const std::vector<CollectiveCall>> calls,
                                        const CollectiveMatches& matches,
                                        const Alignment& alignment,
                                        const std::vector<bool>& selected);

}  // namespace telltale
