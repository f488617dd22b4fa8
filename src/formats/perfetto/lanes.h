// SPDX-License-Identifier: Apache-2.0
// Slices on one Perfetto track must nest. Spans that only partly overlap (kernels of one stream,
// ranges of one thread) are spread over lanes: lane 0 is the track itself, the others are tracks of
// their own beside it. Nothing is dropped or cut.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "model/trace.h"

namespace telltale::perfetto {

struct Lanes {
  Column<uint32_t> order;  // kept spans by track, start, longer first, row
  Column<uint32_t> lane;   // per span of the trace; 0 for those not kept
  std::vector<uint32_t> lanes_of_track;
  // A span whose parent on its lane starts at the same time but comes later in the file: its
  // beginning must be written after the parent's.
  std::unordered_map<uint32_t, uint32_t> waits_for;
};

// `keep`: which spans, empty for all. Spans that never ended (Category::kUnmatched) get the lane
// after the last one of their track.
[[nodiscard]] Lanes AssignLanes(const Trace& trace, const std::vector<bool>& keep);

}  // namespace telltale::perfetto
