// SPDX-License-Identifier: Apache-2.0
// What is asked of a profile: the parameters, and a request that is checked as far as it can be
// before anything is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/work/report.h"
#include "base/result.h"
#include "formats/load.h"
#include "views/params.h"
#include "views/view.h"

namespace telltale {

struct ProfileRequest {
  ParamValues params;                     // as given
  OutputUse use;                          // what the front end makes of the result
  bool overview = true;                   // else the one view, which is `view`
  const ViewSpec* view = nullptr;         // of an overview: what stands for it without traces
  bool view_named = false;                // by the user; else the input may decide
  std::optional<std::string> sort_field;  // a field of the view's rows
  std::optional<int64_t> limit;           // <= 0: all
  std::optional<int64_t> rank;
  AnalysisOptions analysis;
};

// Of every view, and those of single ones.
[[nodiscard]] std::vector<ParamSpec> ProfileParams();
[[nodiscard]] std::vector<ParamSpec> SectionParams();
[[nodiscard]] Result<ProfileRequest> MakeProfileRequest(const ParamValues& params, OutputUse use);
// Turns to functions or memory where no input is a trace. An Error if the view needs one.
[[nodiscard]] Result<void> AdaptToInput(const Subject& subject, ProfileRequest& request);

}  // namespace telltale
