// SPDX-License-Identifier: Apache-2.0
// Writes a profile of functions as a .prof file that the pstats of every Python from 2.7 on loads.
#pragma once

#include <string>

#include "base/result.h"
#include "model/function_profile.h"

namespace telltale {

// Marshal version 2, without references: the one that all Pythons read. A profile with call paths
// gives totals and pairs of caller and callee; recursion counts once. Where calls were not counted
// they are written as 0, for which pstats leaves "percall" blank. Fails (kUsage) for profiles that
// do not measure time, and for what marshal cannot hold.
[[nodiscard]] Result<std::string> WritePstats(const FunctionProfile& profile);

}  // namespace telltale
