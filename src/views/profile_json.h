// SPDX-License-Identifier: Apache-2.0
// `telltale profile --json` and `telltale validate --json`: the documents of the contract.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "views/built_views.h"
#include "views/profile.h"
#include "views/row_range.h"

namespace telltale {

inline constexpr std::string_view kVersion = "0.2.0";
// Of `profile`, and of `diff`, which has the same numbers.
inline constexpr int kProfileSchema = 2;

// `rows`: of operators, kernels and copies, and of the one view. The document of the events has an
// empty list as its last value: see JsonTailOfEvents.
[[nodiscard]] std::string ProfileJson(const Profile& profile, const BuiltViews& built,
                                      RowRange rows = {});

// The keys of that document, into an object that is open.
void WriteProfileJson(const Profile& profile, const BuiltViews& built, RowRange rows,
                      JsonWriter& json);

// The tables that such a document holds, by their keys, with all their rows.
[[nodiscard]] std::vector<std::pair<std::string_view, size_t>> RowCounts(const Profile& profile,
                                                                         const BuiltViews& built);

// What ends a document of events after the opening bracket of the list: the events go before it.
[[nodiscard]] std::string_view JsonTailOfEvents();

}  // namespace telltale
