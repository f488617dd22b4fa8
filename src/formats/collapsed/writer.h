// SPDX-License-Identifier: Apache-2.0
// Writes a profile's call paths as collapsed stacks, one a line with what the path itself took.
#pragma once

#include <string>

#include "base/result.h"
#include "model/function_profile.h"

namespace telltale {

// Frames are written `name (file:line)`. Calls, threads, order and what the values are have no
// place in the format: other programs take every line for a stack. Fails (kUsage) for profiles that
// hold no call paths.
[[nodiscard]] Result<std::string> WriteCollapsed(const FunctionProfile& profile);

}  // namespace telltale
