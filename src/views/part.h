// SPDX-License-Identifier: Apache-2.0
// Which part of a profile is meant: steps, ranges, a rank. The parameters that say it, and what is
// said where there is no such part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/options.h"
#include "analysis/core/step_rows.h"
#include "base/result.h"
#include "views/params.h"
#include "views/profile.h"

namespace telltale {

[[nodiscard]] ParamSpec RankParam();
[[nodiscard]] ParamSpec StepAnnotationParam();
// Those, and `steps` and `inside`.
[[nodiscard]] std::vector<ParamSpec> PartParams();

// What the parameters say, but for the rank.
[[nodiscard]] Result<void> SetPart(const ParamValues& params, AnalysisOptions& options);

// "3..5", "3..", "..5", "3"; both ends belong to it. An Error is what to say behind the name of the
// parameter.
struct StepRange {
  std::optional<int64_t> first;
  std::optional<int64_t> last;
};
[[nodiscard]] Result<StepRange> ParseStepRange(std::string_view text);

// An Error if the parameters chose nothing.
[[nodiscard]] Result<void> CheckPart(const ParamValues& params, const Profile& profile);
// Why they chose none of the steps of a trace: it marks none, or has others. `where` is the trace
// as the user knows it.
[[nodiscard]] std::string DescribeNoSteps(const ParamValues& params, std::string_view where,
                                          StepSource source);

}  // namespace telltale
