// SPDX-License-Identifier: Apache-2.0
// Memory of a trace: per device the curve, its peak and what was there then, every block with its
// life time and owner, what operators allocate, and what steps leave behind. Exact definitions are
// in docs/analyses/memory.md; the parts are in memory_*.h.
#pragma once

#include "analysis/core/context.h"
#include "analysis/memory/report.h"

namespace telltale {

// Without [memory] events the report has no devices.
[[nodiscard]] MemoryReport DescribeMemory(const TraceContext& context);

}  // namespace telltale
