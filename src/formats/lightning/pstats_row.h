// SPDX-License-Identifier: Apache-2.0
// One line of the table that pstats prints:
//   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telltale::lightning {

struct PstatsRow {
  int64_t calls = 0;
  int64_t primitive_calls = 0;
  double self_s = 0;
  double total_s = 0;
  std::string_view file;
  int64_t line = 0;
  std::string name;
};

[[nodiscard]] bool IsPstatsHeader(std::string_view line);
[[nodiscard]] std::optional<PstatsRow> ParsePstatsRow(std::string_view line);

// A number as reports print it: 0.41804, 4.5144e-05; nothing if the text is anything else, or more
// than three hundred years in seconds.
[[nodiscard]] std::optional<double> ParseNumber(std::string_view text);

// Without blanks and tabs around it.
[[nodiscard]] std::string_view Trimmed(std::string_view text);

}  // namespace telltale::lightning
