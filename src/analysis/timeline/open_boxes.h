// SPDX-License-Identifier: Apache-2.0
// Which events of a track were running at a moment.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/file_rows.h"
#include "model/trace.h"

namespace telltale {

// Outermost first: by start, then longer first, then file order. What is piled up on the last row
// of a track that is too deep is not found.
[[nodiscard]] std::vector<SpanRow> OpenBoxes(const Trace& trace, const FileRows& rows,
                                             const PlacedTrack& track, int64_t time_ns);

// The innermost event on that thread or stream of the file: an operator or call, else a device
// event, else a Python frame; kNoRow if nothing was running.
[[nodiscard]] SpanRow InnermostAt(const Trace& trace, const FileRows& rows, TrackId track,
                                  int64_t time_ns);

// The events around one, innermost first, by the rules of nesting.h.
[[nodiscard]] std::vector<SpanRow> ParentsOf(const Trace& trace, const FileRows& rows, SpanRow row);

}  // namespace telltale
