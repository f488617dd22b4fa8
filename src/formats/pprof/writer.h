// SPDX-License-Identifier: Apache-2.0
// Writes a profile of functions as pprof's profile.proto: whole call paths, with how often each was
// called where that was counted.
#pragma once

#include <string>

#include "base/result.h"
#include "model/function_profile.h"

namespace telltale {

// Two values a path: `calls` (count), where they were counted, and what the path itself took. Fails
// (kUsage) for profiles that know pairs of functions only.
[[nodiscard]] Result<std::string> WritePprof(const FunctionProfile& profile);

}  // namespace telltale
