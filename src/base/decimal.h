// SPDX-License-Identifier: Apache-2.0
// Exact decimal text to integers: a trace writes microseconds with decimals, and a double would
// lose the nanoseconds of today's dates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace telltale {

// value × 10^shift as an integer, for "12", "-3.25", "1.5e3" …; digits beyond the last integer
// place are rounded half away from zero. nullopt if the text is no number or the result does not
// fit.
[[nodiscard]] std::optional<int64_t> DecimalToInt(std::string_view text, int shift);

// Decimal microseconds to nanoseconds.
[[nodiscard]] inline std::optional<int64_t> MicrosecondsToNs(std::string_view text) {
  return DecimalToInt(text, 3);
}

}  // namespace telltale
