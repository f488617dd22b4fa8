// SPDX-License-Identifier: Apache-2.0
#include "query/key_sort.h"

#include <algorithm>
#include <array>
#include <bit>

namespace telltale {

namespace {

// 2048 counters stay in the first-level cache, and 33 bits, five minutes in ns, are three passes.
constexpr unsigned kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;
// Below this a comparison sort is quicker than clearing the counters.
constexpr size_t kFewRows = 512;

uint64_t Above(int64_t key, int64_t least) {
  return static_cast<uint64_t>(key) - static_cast<uint64_t>(least);
}

}  // namespace

void SortByKey(Column<KeyedRow>& rows) {
  const auto before = [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; };
  if (std::is_sorted(rows.begin(), rows.end(), before)) return;
  if (rows.size() < kFewRows) {
    std::stable_sort(rows.begin(), rows.end(), before);
    return;
  }
  const auto [least, largest] = std::minmax_element(rows.begin(), rows.end(), before);
  const int64_t base = least->key;
  const auto bits = static_cast<unsigned>(std::bit_width(Above(largest->key, base)));
  Column<KeyedRow> buffer;
  (void)buffer.extend(rows.size());
  for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
    std::array<uint32_t, kDigits> next = {};
    const auto digit = [&](const KeyedRow& row) {
      return (Above(row.key, base) >> shift) & (kDigits - 1);
    };
    for (const KeyedRow& row : rows) ++next[digit(row)];
    uint32_t sum = 0;
    for (uint32_t& count : next) {
      const uint32_t here = count;
      count = sum;
      sum += here;
    }
    for (const KeyedRow& row : rows) buffer[next[digit(row)]++] = row;
    rows.swap(buffer);
  }
}

}  // namespace telltale
