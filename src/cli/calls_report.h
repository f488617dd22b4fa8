// SPDX-License-Identifier: Apache-2.0
// profiler/advanced.txt: what pstats prints of every process that `--profile advanced` recorded,
// and of each of its actions. The text comes from the view (views/functions/pstats_text.h).
#pragma once

#include <string>

#include "base/result.h"

namespace telltale {

// Of the .prof files in the folder profiler/advanced and in those below it. Empty: there are none.
[[nodiscard]] Result<std::string> CallsReport(const std::string& advanced_folder);

}  // namespace telltale
