// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <algorithm>
#include <utility>

namespace telltale {

size_t Utf8Length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead == 0xe0) low = 0xa0;   // overlong
    if (lead == 0xed) high = 0x9f;  // surrogates
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (text.size() < length || at(1) < low || at(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (at(i) < 0x80 || at(i) > 0xbf) return 0;
  }
  return length;
}

std::optional<std::string> ReplaceInvalidUtf8(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::nullopt;
  std::string repaired;
  bool good = true;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) {
      good = false;
      repaired += kReplacementCharacter;
    } else {
      repaired += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  if (good) return std::nullopt;
  return repaired;
}

std::string RepairUtf8(std::string_view text) {
  std::optional<std::string> repaired = ReplaceInvalidUtf8(text);
  return repaired ? std::move(*repaired) : std::string(text);
}

}  // namespace telltale
