// SPDX-License-Identifier: Apache-2.0
// Which rows of a trace belong to a part of it: some steps, a window of time, some categories.
// Device work goes with the call that launched it, arrows stay only whole. For conversion: the
// result is bits, the trace is not changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/intervals.h"

namespace telltale {

struct CutOptions {
  bool steps = false;              // only the selected steps of the context
  std::optional<Interval> window;  // as written in the trace: without base time
  // Texts of `cat`, or names of categories (operator, kernel …); empty: all.
  std::vector<std::string> categories;
};

// One bit a row; an empty list means that all stay.
struct CutRows {
  std::vector<bool> spans;
  std::vector<bool> memory;
  std::vector<bool> flows;
  std::vector<bool> counters;
  std::vector<bool> instants;
};

[[nodiscard]] CutRows CutTrace(const TraceContext& context, const CutOptions& options);

}  // namespace telltale
