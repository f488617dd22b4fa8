// SPDX-License-Identifier: Apache-2.0
// The tracks of one file, named and in the order they are shown: steps, the critical path, the
// thread that does most of the steps' work, threads of the backward pass, other threads (each with
// its Python stack below), streams by device and number (each with the annotations on it above),
// memory, counters.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/timeline/index.h"

namespace telltale {

// `first_number` is the number of the first track in the index. Sets file.track_of_part.
[[nodiscard]] std::vector<TimelineTrack> TracksOf(const TraceContext& context, uint32_t number,
                                                  FileTimeline& file, uint32_t first_number);

}  // namespace telltale
