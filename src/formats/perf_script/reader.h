// SPDX-License-Identifier: Apache-2.0
// The text of perf script: one block a sample, its call chain innermost frame first.
// FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format PerfScriptFormat();

}  // namespace telltale
