// SPDX-License-Identifier: Apache-2.0
// The text reports of Lightning's profilers: SimpleProfiler's table of actions, and the tables of
// functions that AdvancedProfiler (and pstats itself) prints. FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format LightningSimpleFormat();
[[nodiscard]] Format LightningAdvancedFormat();

}  // namespace telltale
