// SPDX-License-Identifier: Apache-2.0
// For tests: everything a trace holds as text, one row a line, so that two traces can be compared
// whole.
#pragma once

#include <string>

#include "model/trace.h"

namespace telltale {

[[nodiscard]] std::string DumpTrace(const Trace& trace);

}  // namespace telltale
