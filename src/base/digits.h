// SPDX-License-Identifier: Apache-2.0
// Decimal digits of text, as fast as they come.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace telltale {

[[nodiscard]] inline bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Eight ASCII digits as a number, all at once; false if one of them is no digit.
[[nodiscard]] inline bool EightDigits(const char* p, uint64_t& value) {
  if constexpr (std::endian::native != std::endian::little) return false;
  uint64_t v;
  std::memcpy(&v, p, 8);
  // A digit is 0x30…0x39: its upper half is 3, and stays 3 when 6 is added.
  constexpr uint64_t kUpper = 0xf0f0f0f0f0f0f0f0ULL;
  if (((v & kUpper) | (((v + 0x0606060606060606ULL) & kUpper) >> 4)) != 0x3333333333333333ULL) {
    return false;
  }
  const uint64_t low = v - 0x3030303030303030ULL;
  uint64_t pairs = (low * 10 + (low >> 8)) & 0x00ff00ff00ff00ffULL;
  pairs = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffffULL;
  value = (pairs * 10000 + (pairs >> 32)) & 0xffffffffULL;
  return true;
}

// Reads the digits at `p`; at most 19 digits count (18 always fit in int64). Returns how many there
// were. The text goes on for at least eight bytes, and its number ends before it does.
[[nodiscard]] inline int ReadDigits(const char*& p, uint64_t& value) {
  const char* begin = p;
  uint64_t eight = 0;
  value = 0;
  if (EightDigits(p, eight)) {
    value = eight;
    p += 8;
  }
  while (IsDigit(*p)) {
    value = value * 10 + static_cast<uint64_t>(*p - '0');
    ++p;
    if (p - begin > 19) break;
  }
  return static_cast<int>(p - begin);
}

}  // namespace telltale
