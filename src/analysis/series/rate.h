// SPDX-License-Identifier: Apache-2.0
// What a series says over time, beyond its points: how many steps were done a second, and its
// numbers as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/series/joined.h"
#include "analysis/series/line.h"

namespace telltale {

struct RateRequest {
  std::optional<double> from = {};  // seconds since 1970; none: from the first point
  std::optional<double> to = {};
  size_t parts = 200;  // equal ones of the range
};

// Steps a second, one value for each part of the range, in its middle. The steps between two
// neighbouring points are spread evenly over the time between them: a long step is a low rate, not
// a gap. Between two segments nothing is known, and nothing is said.
[[nodiscard]] Line MakeRate(const JoinedScalars& points, const RateRequest& request);

// Over the visible points; NaN and infinities are left out.
struct SeriesSummary {
  uint64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  double last = 0;
  double first_wall = 0;
  double last_wall = 0;
  // Of the value over time, in its unit times seconds; stretches over a minute do not count.
  double integral = 0;
  double rises = 0;  // sum of all increases: what a counter that may begin anew has counted
  [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};
[[nodiscard]] SeriesSummary Summarize(const JoinedScalars& points);

// Steps a second over the last points, at most `most` of them. None: there are too few, or time
// stood still.
[[nodiscard]] std::optional<double> RateNow(const JoinedScalars& points, size_t most = 64);

}  // namespace telltale
