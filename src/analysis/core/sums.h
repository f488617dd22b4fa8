// SPDX-License-Identifier: Apache-2.0
// Sums of values from a file. They wrap around instead of being undefined: a hostile file can hold
// durations and sizes whose sum leaves 64 bits.
#pragma once

#include <cstdint>

namespace telltale {

inline void AddTo(int64_t& sum, int64_t value) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(value));
}

inline void SubtractFrom(int64_t& sum, int64_t value) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) - static_cast<uint64_t>(value));
}

[[nodiscard]] inline int64_t Difference(int64_t from, int64_t value) {
  SubtractFrom(from, value);
  return from;
}

// sum / count to the nearest integer, halves up; 0 without a count.
[[nodiscard]] inline int64_t Mean(int64_t sum, int64_t count) {
  if (count == 0) return 0;
  const int64_t whole = sum / count;
  const int64_t rest = sum % count;
  if (rest >= count - rest) return whole + 1;
  return rest < 0 && -rest > count + rest ? whole - 1 : whole;
}

}  // namespace telltale
