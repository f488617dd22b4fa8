// SPDX-License-Identifier: Apache-2.0
// What a profile of a run has of some of the run's time: which part of it to ask for, and where it
// has nothing of that time, the captured steps that are nearest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/core/context.h"
#include "analysis/core/intervals.h"
#include "model/subject.h"

namespace telltale {

struct ProfileMoment {
  struct Steps {
    int64_t first = 0;  // by their numbers, both ends included
    int64_t last = 0;
    // 0: they are of this time; else so long before it (< 0) or after it.
    int64_t away_ns = 0;
    std::string sentence;
    std::string_view view;  // what shows them: operators, or the actions of `simple`
  };

  std::optional<Interval> recorded;  // all that it has, since 1970; none: it does not say
  // For `between` of the view `functions`; empty: it has no functions of that time.
  std::string between;
  std::optional<Steps> steps;
};

// `asked` is since 1970.
[[nodiscard]] ProfileMoment MomentOf(const Subject& subject, std::span<const TraceContext> traces,
                                     Interval asked);

}  // namespace telltale
