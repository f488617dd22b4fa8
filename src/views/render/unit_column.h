// SPDX-License-Identifier: Apache-2.0
// What cells of numbers have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "views/render/terminal.h"
#include "views/render/units.h"

namespace telltale {

[[nodiscard]] inline double Ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// What stands for a value that the capture does not contain.
[[nodiscard]] inline std::string Missing(const OutputStyle& style) {
  return style.unicode ? "–" : "-";
}

[[nodiscard]] inline std::string ShareOrMissing(const std::optional<double>& share,
                                                const OutputStyle& style) {
  return share ? FormatShare(*share) : Missing(style);
}

// Rows to show; a limit of 0 means all.
[[nodiscard]] inline size_t CountShown(size_t rows, size_t limit) {
  return limit == 0 ? rows : std::min(rows, limit);
}

}  // namespace telltale
