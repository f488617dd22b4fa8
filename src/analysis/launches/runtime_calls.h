// SPDX-License-Identifier: Apache-2.0
// All calls of the device's runtime by name: those that launch work, and those that allocate, copy
// or wait. What launching costs beyond the call itself is in launches.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/core/context.h"

namespace telltale {

struct RuntimeCallRow {
  uint32_t file = 0;
  std::string name;
  uint64_t calls = 0;
  int64_t host_total_ns = 0;
  int64_t host_mean_ns = 0;
  int64_t host_max_ns = 0;
};

// The most host time first.
[[nodiscard]] std::vector<RuntimeCallRow> DescribeRuntimeCalls(const TraceContext& context);

}  // namespace telltale
