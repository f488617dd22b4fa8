// SPDX-License-Identifier: Apache-2.0
// Which rows of a table are shown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace telltale {

// Which rows of a table are written. A limit alone stands for a range from the start.
struct RowRange {
  int64_t limit = 0;  // <= 0: all
  int64_t offset = 0;

  RowRange(int64_t most = 0, int64_t first = 0)  // NOLINT(google-explicit-constructor)
      : limit(most), offset(first) {}
  [[nodiscard]] size_t First(size_t count) const {
    return offset <= 0 ? 0 : std::min(count, static_cast<size_t>(offset));
  }
  [[nodiscard]] size_t End(size_t count) const {
    const size_t first = First(count);
    return limit <= 0 ? count : first + std::min(count - first, static_cast<size_t>(limit));
  }
};

// How many of `count` rows a limit leaves; 0 and below: all.
[[nodiscard]] inline size_t Limited(size_t count, int64_t limit) {
  return limit <= 0 ? count : std::min(count, static_cast<size_t>(limit));
}

// How many rows a table for people shows; 0: all.
[[nodiscard]] inline size_t RowLimit(std::optional<int64_t> limit, size_t usual) {
  if (!limit) return usual;
  return *limit <= 0 ? 0 : static_cast<size_t>(*limit);
}

}  // namespace telltale
