// SPDX-License-Identifier: Apache-2.0
// What torch.profiler's export_memory_timeline writes: *.raw.json[.gz] with single changes, and
// *.json[.gz] with sums by category over time. FORMAT.md beside this file.
#pragma once

#include "formats/format.h"

namespace telltale {

[[nodiscard]] Format MemoryTimelineRawFormat();
[[nodiscard]] Format MemoryTimelineFormat();

}  // namespace telltale
