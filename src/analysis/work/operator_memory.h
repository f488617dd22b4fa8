// SPDX-License-Identifier: Apache-2.0
// Bytes allocated and freed while operators and annotations ran, from the [memory] instants of
// their thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/core/host_tree.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

struct GroupMemory {
  int64_t total_bytes = 0;
  int64_t self_bytes = 0;
};

// Sums over groups of events: group_of[node] is the group of a node, kNoRow for nodes that count in
// none. An instant is inside an event if start <= time <= end, and the event's own if it is in none
// of its operator or annotation children (a runtime call in between takes nothing away).
[[nodiscard]] std::vector<GroupMemory> SumMemory(const Trace& trace, const HostTree& tree,
                                                 std::span<const uint32_t> group_of, size_t groups);

}  // namespace telltale
