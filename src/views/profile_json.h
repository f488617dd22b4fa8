// SPDX-License-Identifier: Apache-2.0
// `telltale profile --json` and `telltale validate --json`: the documents of the contract,
// schema 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "views/profile.h"
#include "views/sorting.h"

namespace telltale {

inline constexpr std::string_view kVersion = "0.1.0";
inline constexpr int kSchema = 1;

struct JsonRequest {
  View view = View::kOverview;  // the overview is the whole document
  RowRange rows = {};           // of operators, kernels and copies, and of the one view
};

// For View::kEvents the document has an empty list as its last value: see JsonTailOfEvents.
[[nodiscard]] std::string ProfileJson(const Profile& profile, const JsonRequest& request);

// The keys of that document, into an object that is open.
void WriteProfileJson(const Profile& profile, const JsonRequest& request, JsonWriter& json);

// The tables that such a document holds, by their keys, with all their rows.
[[nodiscard]] std::vector<std::pair<std::string_view, size_t>> RowCounts(const Profile& profile,
                                                                         View view);

// What ends a document of View::kEvents after the opening bracket of the list: the events go before
// it.
[[nodiscard]] std::string_view JsonTailOfEvents();

[[nodiscard]] std::string ValidateJson(const Profile& findings);

// Of findings: whether any is an error.
[[nodiscard]] bool HasError(const std::vector<FileDiagnostic>& findings);

}  // namespace telltale
