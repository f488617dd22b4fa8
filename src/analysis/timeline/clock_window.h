// SPDX-License-Identifier: Apache-2.0
// The stretch of time that a timeline shows at first: all spans, unless a few of them are days away
// from the rest because some clock was wrong.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/core/context.h"
#include "analysis/distributed/alignment.h"

namespace telltale {

struct ClockWindow {
  int64_t start_ns = 0;  // on the common clock
  int64_t end_ns = 0;
  uint64_t spans_outside = 0;
};

[[nodiscard]] ClockWindow FindClockWindow(std::span<const TraceContext> contexts,
                                          const Alignment& alignment);

}  // namespace telltale
