// SPDX-License-Identifier: Apache-2.0
// Characters and sets of them, for the two halves of Pattern: reading one and matching it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/pattern.h"

namespace telltale {

// Bytes that are not UTF-8 are characters of their own, beyond Unicode.
constexpr uint32_t kInvalidByte = 0x110000;

// The code point at the front of the text, which is cut off.
inline uint32_t TakeCodePoint(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  size_t length = 1;
  uint32_t value = first;
  if (first >= 0xc2 && first < 0xe0) {
    length = 2;
    value = first & 0x1fU;
  } else if (first >= 0xe0 && first < 0xf0) {
    length = 3;
    value = first & 0x0fU;
  } else if (first >= 0xf0 && first < 0xf5) {
    length = 4;
    value = first & 0x07U;
  } else if (first >= 0x80) {
    value = kInvalidByte + first;
  }
  if (length > 1) {
    bool valid = text.size() >= length;
    for (size_t i = 1; valid && i < length; ++i) {
      valid = (byte(i) & 0xc0U) == 0x80U;
      value = value << 6U | (byte(i) & 0x3fU);
    }
    if (!valid) {
      length = 1;
      value = kInvalidByte + first;
    }
  }
  text.remove_prefix(length);
  return value;
}

inline Pattern::Set Normalized(Pattern::Set set) {
  std::sort(set.begin(), set.end());
  Pattern::Set out;
  for (const auto& range : set) {
    if (!out.empty() && range.first <= out.back().second + 1) {
      out.back().second = std::max(out.back().second, range.second);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

inline Pattern::Set Negated(const Pattern::Set& set) {
  Pattern::Set out;
  uint32_t from = 0;
  for (const auto& [low, high] : Normalized(set)) {
    if (low > from) out.emplace_back(from, low - 1);
    from = high + 1;
  }
  out.emplace_back(from, kInvalidByte + 0xff);
  return out;
}

inline bool Contains(const Pattern::Set& set, uint32_t code_point) {
  const auto after =
      std::upper_bound(set.begin(), set.end(), code_point,
                       [](uint32_t value, const std::pair<uint32_t, uint32_t>& range) {
                         return value < range.first;
                       });
  return after != set.begin() && code_point <= std::prev(after)->second;
}

// \d, \w, \s and their opposites; empty for any other letter.
inline Pattern::Set ClassOf(char letter) {
  switch (letter) {
    case 'd':
      return {{'0', '9'}};
    case 'w':
      return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    case 's':
      return {{'\t', '\r'}, {' ', ' '}};
    case 'D':
    case 'W':
    case 'S':
      return Negated(ClassOf(static_cast<char>(letter + ('a' - 'A'))));
    default:
      return {};
  }
}

}  // namespace telltale
