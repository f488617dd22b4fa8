// SPDX-License-Identifier: Apache-2.0
// The names with the most time, for a sentence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/render/unit_column.h"
#include "views/words.h"

namespace telltale {

// The three names with the most `time` in `rows`, as shares of `total`, which the sentence has just
// named: ": 40 % of it in aten::mm, 12 % in …"; empty where no row has any.
template <typename Row, typename Time, typename Name>
[[nodiscard]] std::string LargestNames(const std::vector<Row>& rows, int64_t total, Time time,
                                       Name name, const OutputStyle& style) {
  // Rows may be told apart by more than their names: shapes, launches.
  std::map<std::string, int64_t> by_name;
  for (const Row& row : rows) by_name[name(row)] += time(row);
  std::vector<std::pair<std::string, int64_t>> largest(by_name.begin(), by_name.end());
  const size_t count = std::min<size_t>(3, largest.size());
  std::ranges::partial_sort(largest, largest.begin() + static_cast<ptrdiff_t>(count),
                            [](const auto& a, const auto& b) {
                              if (a.second != b.second) return a.second > b.second;
                              return a.first < b.first;
                            });
  std::vector<std::string> parts;
  for (size_t i = 0; i < count && largest[i].second > 0; ++i) {
    parts.push_back(fmt::format("{}{} in {}", FormatShare(Ratio(largest[i].second, total), 0),
                                parts.empty() ? " of it" : "",
                                NameInSentence(largest[i].first, style)));
  }
  return parts.empty() ? "" : fmt::format(": {}", fmt::join(parts, ", "));
}

}  // namespace telltale
