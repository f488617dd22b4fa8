// SPDX-License-Identifier: Apache-2.0
// What happened on some tracks in a stretch of time: sums by name and by category, and how long
// each track was busy. Events that reach beyond the range count with their part inside it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/timeline/categories.h"
#include "analysis/timeline/index.h"
#include "analysis/timeline/name_sums.h"

namespace telltale {

struct SelectedName {
  std::string_view name;  // lives as long as the traces and the index
  TimelineCategory category = TimelineCategory::kOther;
  BoxSums sums;
};

struct SelectedTrack {
  uint32_t track = 0;
  uint64_t count = 0;
  int64_t busy_ns = 0;  // covered by any event
  int64_t idle_ns = 0;  // the rest of the range
};

struct SelectionStatistics {
  std::vector<SelectedName> names;  // most own time first, then total; what frames the rest last
  std::array<BoxSums, kTimelineCategoryCount> categories = {};
  std::vector<SelectedTrack> tracks;  // as asked for, without curves
};

// From start to end, since the timeline's origin; start < end.
[[nodiscard]] SelectionStatistics DescribeSelection(std::span<const TraceContext> contexts,
                                                    const TimelineIndex& index, int64_t start_ns,
                                                    int64_t end_ns,
                                                    std::span<const uint32_t> tracks);

}  // namespace telltale
