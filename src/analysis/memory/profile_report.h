// SPDX-License-Identifier: Apache-2.0
// Memory of a timeline or an allocator snapshot, in the terms of memory_report.h: curve, peak, what
// was there then by category or by place in the program, fragmentation. Exact definitions are in
// docs/analyses/memory.md.
#pragma once

#include "analysis/memory/report.h"
#include "model/memory_profile.h"

namespace telltale {

[[nodiscard]] MemoryReport DescribeMemoryProfile(const MemoryProfile& profile);

}  // namespace telltale
