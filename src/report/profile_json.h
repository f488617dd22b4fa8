// SPDX-License-Identifier: Apache-2.0
// `telltale profile --json` and `telltale validate --json`: the documents of the contract,
// schema 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/profile.h"
#include "report/sorting.h"

namespace telltale {

inline constexpr std::string_view kVersion = "0.1.0";
inline constexpr int kSchema = 1;

struct JsonRequest {
  View view = View::kOverview;  // the overview is the whole document
  int64_t limit = 0;  // rows of operators, kernels and copies, and of the one view; 0: all
};

// For View::kEvents the document has an empty list as its last value: see JsonTailOfEvents.
[[nodiscard]] std::string ProfileJson(const Profile& profile, const JsonRequest& request);

// What ends a document of View::kEvents after the opening bracket of the list: the events go before
// it.
[[nodiscard]] std::string_view JsonTailOfEvents();

[[nodiscard]] std::string ValidateJson(const Profile& findings);

// Of findings: whether any is an error.
[[nodiscard]] bool HasError(const std::vector<FileDiagnostic>& findings);

}  // namespace telltale
