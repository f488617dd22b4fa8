// SPDX-License-Identifier: Apache-2.0
// Writes a profile's call paths as collapsed stacks, one a line with what the path itself took.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/function_profile.h"

namespace telltale {

namespace collapsed {
// The first line says what the values are; other tools take it for a comment.
constexpr std::string_view kUnitMark = "# unit: ";
}  // namespace collapsed

// Frames are written `name (file:line)`. Calls, threads and order have no place in the format.
// Fails (kUsage) for profiles that hold no call paths.
[[nodiscard]] Result<std::string> WriteCollapsed(const FunctionProfile& profile);

}  // namespace telltale
