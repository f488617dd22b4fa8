// SPDX-License-Identifier: Apache-2.0
// What `telltale profile` was asked for: the table of its options, and a request that is checked as
// far as it can be before anything is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/work/report.h"
#include "base/result.h"
#include "views/options.h"
#include "views/render/terminal.h"
#include "views/section.h"

namespace telltale {

enum class OutputFormat : uint8_t { kText, kJson, kCsv };

struct ProfileRequest {
  std::vector<std::string> paths;
  bool overview = true;                  // else the one view, which is `section`
  const SectionSpec* section = nullptr;  // of an overview: what stands for it without traces
  bool view_named = false;               // by the user; else the input may decide
  OutputFormat format = OutputFormat::kText;
  bool torch_table = false;
  bool pstats_text = false;
  std::optional<std::string> sort_field;  // a field of the view's rows
  std::string sort_text;                  // --sort as given
  std::optional<int64_t> limit;           // <= 0: all
  std::optional<int64_t> rank;
  std::string steps_text;  // --steps as given, for messages
  AnalysisOptions analysis;
  StyleRequest style;
  bool quiet = false;
};

[[nodiscard]] const CommandSpec& ProfileCommandSpec();
[[nodiscard]] Result<ProfileRequest> MakeProfileRequest(const Arguments& arguments);
// Turns to the functions where no input is a trace. An Error if the view needs one.
[[nodiscard]] Result<void> AdaptToFunctions(ProfileRequest& request);
// Where the functions are the answer (AreOfFunctions): shows them, unless something else was asked.
void PreferFunctions(ProfileRequest& request);
// The same where there are only memory profiles.
[[nodiscard]] Result<void> AdaptToMemory(ProfileRequest& request);

// "3..5", "3..", "..5", "3"; both ends belong to it.
struct StepRange {
  std::optional<int64_t> first;
  std::optional<int64_t> last;
};
[[nodiscard]] Result<StepRange> ParseStepRange(std::string_view text);
// Why --steps chose none of the steps of a trace: it marks none, or has others. `given` is the
// range, `where` the trace as the user knows it.
[[nodiscard]] std::string DescribeNoSteps(std::string_view given, std::string_view where,
                                          StepSource source, std::string_view step_annotation);

}  // namespace telltale
