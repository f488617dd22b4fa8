// SPDX-License-Identifier: Apache-2.0
// Numbers for people: durations, sizes, counts and shares with three or four significant digits. A
// column of a table shows all its values in one unit, chosen for the largest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace telltale {

// "177.6 ms", "64.2 µs", "980 ns"; "us" without `unicode`.
[[nodiscard]] std::string FormatDuration(int64_t ns, bool unicode = true);
// "1.25 GiB", "12 B".
[[nodiscard]] std::string FormatBytes(int64_t bytes);
// "1.25 GFLOP".
[[nodiscard]] std::string FormatFlops(int64_t flops);
// "75,718".
[[nodiscard]] std::string FormatCount(int64_t count);
// "55.3 %"; "<0.1 %" for what is there but rounds to nothing. `decimals` 0: "55 %", "<1 %".
[[nodiscard]] std::string FormatShare(double share, int decimals = 1);

// How a column writes its numbers.
struct ColumnUnit {
  std::string_view name;  // goes into the header: "ms"
  double divisor = 1;
  int decimals = 0;
};

[[nodiscard]] ColumnUnit DurationUnit(std::span<const int64_t> values_ns, bool unicode = true);
[[nodiscard]] ColumnUnit ByteUnit(std::span<const int64_t> values_bytes);
// "FLOP", "MFLOP", "GFLOP" …
[[nodiscard]] ColumnUnit FlopUnit(std::span<const int64_t> values);
// "98.21"; what is there but rounds to nothing is "<0.01".
[[nodiscard]] std::string FormatIn(const ColumnUnit& unit, int64_t value);

}  // namespace telltale
