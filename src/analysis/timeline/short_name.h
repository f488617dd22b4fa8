// SPDX-License-Identifier: Apache-2.0
// Names of kernels can be thousands of characters long; a box needs their beginning and their end.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

// Bytes of a name that are sent with a view, at most.
constexpr size_t kLongestName = 160;

// The text itself, or its beginning and end with "…" between them, cut between characters.
[[nodiscard]] std::string ShortName(std::string_view name);

}  // namespace telltale
