// SPDX-License-Identifier: Apache-2.0
// `telltale profile` for people: the answer first, then the picture, the tables, what to try, and
// what is to know about the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/built_views.h"
#include "views/profile.h"
#include "views/render/terminal.h"

namespace telltale {

// No limit: what suits each table.
[[nodiscard]] std::string ProfileText(const Profile& profile, const BuiltViews& built,
                                      std::optional<int64_t> limit, const OutputStyle& style);

// The same to be pasted.
[[nodiscard]] std::string ProfileMarkdown(const Profile& profile, const BuiltViews& built,
                                          std::optional<int64_t> limit);

// What every view owes its reader, as a paragraph of its own: that something is to know about the
// data behind it. Empty if there is nothing.
[[nodiscard]] std::string DataNote(const Profile& profile, const OutputStyle& style);

}  // namespace telltale
