// SPDX-License-Identifier: Apache-2.0
// How large an answer to a page may be, and how to write one that is not larger. Only who asks for
// everything (limit=0, CSV, SQL) gets more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace telltale {

constexpr size_t kLargestAnswer = 1'000'000;
// A list that is written row by row ends here, so that its last row still fits.
constexpr size_t kLastRowBegins = kLargestAnswer * 3 / 4;

// What write(rows) makes of as many rows, at most `rows`, as fit an answer; of ten whatever they
// take.
template <typename Write>
[[nodiscard]] std::string WriteWithin(int64_t rows, Write write) {
  constexpr int64_t kLeastRows = 10;
  std::string text = write(rows);
  while (text.size() > kLargestAnswer && rows > kLeastRows) {
    const double fits =
        0.9 * static_cast<double>(kLargestAnswer) / static_cast<double>(text.size());
    rows = std::max(kLeastRows, static_cast<int64_t>(static_cast<double>(rows) * fits));
    text = write(rows);
  }
  return text;
}

}  // namespace telltale
