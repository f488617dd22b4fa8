// SPDX-License-Identifier: Apache-2.0
// Columns of numbers in one unit, and what their cells have in
// common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

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

// A column of durations or sizes: the unit goes into the header.
class UnitColumn {
 public:
  UnitColumn(std::string_view title, ColumnUnit unit, const OutputStyle& style)
      : title_(title), unit_(unit), style_(style) {}
  [[nodiscard]] std::string Header() const { return fmt::format("{} {}", title_, unit_.name); }
  [[nodiscard]] std::string Cell(std::optional<int64_t> value) const {
    return value ? FormatIn(unit_, *value) : Missing(style_);
  }

 private:
  std::string_view title_;
  ColumnUnit unit_;
  OutputStyle style_;
};

// The values of the first `count` rows that have one.
template <typename Row, typename Get>
[[nodiscard]] std::vector<int64_t> Collect(const std::vector<Row>& rows, size_t count, Get get) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<int64_t> value = get(rows[i]);
    if (value) values.push_back(*value);
  }
  return values;
}

template <typename Row, typename Get>
[[nodiscard]] UnitColumn Durations(std::string_view title, const std::vector<Row>& rows,
                                   size_t count, Get get, const OutputStyle& style) {
  return {title, DurationUnit(Collect(rows, count, get), style.unicode), style};
}

template <typename Row, typename Get>
[[nodiscard]] UnitColumn Sizes(std::string_view title, const std::vector<Row>& rows, size_t count,
                               Get get, const OutputStyle& style) {
  return {title, ByteUnit(Collect(rows, count, get)), style};
}

// Rows to show; a limit of 0 means all.
[[nodiscard]] inline size_t CountShown(size_t rows, size_t limit) {
  return limit == 0 ? rows : std::min(rows, limit);
}

}  // namespace telltale
