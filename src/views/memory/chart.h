// SPDX-License-Identifier: Apache-2.0
// A curve of memory over time, drawn with block characters.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analysis/memory/report.h"
#include "views/render/terminal.h"

namespace telltale {

struct MemoryChartSize {
  size_t rows = 6;
  size_t indent = 2;
};

// The allocated bytes, each column with the most of its stretch of time; sizes at the left, the
// length of time below. A curve that never falls below half of its peak does not start at zero. A
// newline ends each line; empty for fewer than two moments.
[[nodiscard]] std::string RenderMemoryChart(std::span<const MemoryPoint> points,
                                            const OutputStyle& style,
                                            const MemoryChartSize& size = {});

}  // namespace telltale
