// SPDX-License-Identifier: Apache-2.0
// What opens the page of a log.
#pragma once

#include <string>

#include "runs/log_file.h"

namespace telltale {

// "1,000,000 lines over 2 h 05 min; 12 warnings, 3 errors."
[[nodiscard]] std::string LogSentence(const LogState& log);

}  // namespace telltale
