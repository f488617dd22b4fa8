// SPDX-License-Identifier: Apache-2.0
// Files of samples, as `telltale run` writes them (FORMAT.md). Times are what samples stand for.
#pragma once

#include "formats/format.h"

namespace telltale {

// Below a function of Python: what the thread did there that no Python function is the name of.
constexpr std::string_view kWaitingFrame = "<waiting>";
constexpr std::string_view kNativeFrame = "<native code without the GIL>";

[[nodiscard]] Format SamplesFormat();

}  // namespace telltale
