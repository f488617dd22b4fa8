// SPDX-License-Identifier: Apache-2.0
// Writes a profile's call paths as a speedscope file.
#pragma once

#include <string>

#include "base/result.h"
#include "model/function_profile.h"

namespace telltale {

// With a timeline: one evented profile a thread. Without: one sampled profile in which every path
// with a value of its own is a sample. Fails (kUsage) for profiles that hold no call paths.
[[nodiscard]] Result<std::string> WriteSpeedscope(const FunctionProfile& profile);

}  // namespace telltale
