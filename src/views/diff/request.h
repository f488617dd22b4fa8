// SPDX-License-Identifier: Apache-2.0
// What `telltale diff` was asked for, and the comparison itself: from two loaded sides to the
// document that is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/core/context.h"
#include "analysis/work/report.h"
#include "base/result.h"
#include "formats/load.h"
#include "views/diff/output.h"
#include "views/options.h"
#include "views/render/terminal.h"

namespace telltale {

struct DiffRequest {
  std::string before;  // as the user named them
  std::string after;
  std::string steps_text;  // --steps as given, for messages
  AnalysisOptions analysis;
  std::optional<int64_t> rank;
  std::optional<double> fail_above;
  std::string_view on;  // of the arguments, which outlive the request
  std::optional<int64_t> limit;
  StyleRequest style;
};

[[nodiscard]] const CommandSpec& DiffCommandSpec();
[[nodiscard]] Result<DiffRequest> MakeDiffRequest(const Arguments& arguments);

// One of the two: what was read, and its traces made ready with the request's options where
// somebody has that already.
struct LoadedSide {
  const Loaded& loaded;
  std::optional<std::span<const TraceContext>> contexts = std::nullopt;
};

// An Error (kUsage) says why the two cannot be compared.
[[nodiscard]] Result<DiffDocument> MakeDiff(const LoadedSide& before, const LoadedSide& after,
                                            const DiffRequest& request);

}  // namespace telltale
