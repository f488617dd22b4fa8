// SPDX-License-Identifier: Apache-2.0
// What `telltale convert` was asked for: the table of its options, and a request that is checked
// before anything is read or written.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/work/report.h"
#include "base/result.h"
#include "cli/convert.h"
#include "cli/options.h"

namespace telltale {

struct ConvertRequest {
  std::vector<std::string> inputs;
  std::string output;
  ParamValues params;  // as given
  ConvertOptions options;
  AnalysisOptions analysis;  // the steps
  std::set<int64_t> ranks;   // empty: all
  bool force = false;
  bool quiet = false;
  unsigned threads = 0;
};

[[nodiscard]] CommandSpec ConvertCommandSpec();
[[nodiscard]] Result<ConvertRequest> MakeConvertRequest(const Arguments& arguments);

struct TimeWindow {
  Interval window;
  bool absolute = false;
};
// "20ms..1.5s", "20ms..", "..300us": since the first event. Numbers without a unit: ns since 1970.
[[nodiscard]] Result<TimeWindow> ParseWindow(std::string_view text);

}  // namespace telltale
