// SPDX-License-Identifier: Apache-2.0
#include "base/json/scan.h"

namespace telltale {

namespace {

bool IsDigitAt(std::string_view text, size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool IsHexAt(std::string_view text, size_t at) {
  return at < text.size() &&
         std::string_view("0123456789abcdefABCDEF").find(text[at]) != std::string_view::npos;
}

// Moves past digits; false: there are none.
bool TakeDigits(std::string_view text, size_t& at) {
  const size_t begin = at;
  while (IsDigitAt(text, at)) ++at;
  return at > begin;
}

}  // namespace

size_t JsonNumberLength(std::string_view text) {
  const auto is = [&](size_t i, std::string_view any) {
    return i < text.size() && any.find(text[i]) != std::string_view::npos;
  };
  size_t at = is(0, "-") ? 1 : 0;
  if (is(at, "0")) {
    ++at;
  } else if (!TakeDigits(text, at)) {
    return 0;
  }
  if (is(at, ".")) {
    ++at;
    if (!TakeDigits(text, at)) return 0;
  }
  if (is(at, "eE")) {
    ++at;
    if (is(at, "+-")) ++at;
    if (!TakeDigits(text, at)) return 0;
  }
  return at;
}

size_t JsonStringLength(std::string_view text, bool any_string) {
  for (size_t at = 1; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') return at + 1;
    if (!any_string && static_cast<unsigned char>(c) < 0x20) return 0;
    if (c != '\\') continue;
    ++at;
    if (any_string) continue;
    if (at >= text.size()) return 0;
    if (text[at] == 'u') {
      for (size_t digit = 1; digit <= 4; ++digit) {
        if (!IsHexAt(text, at + digit)) return 0;
      }
      at += 4;
    } else if (std::string_view("\"\\/bfnrt").find(text[at]) == std::string_view::npos) {
      return 0;
    }
  }
  return 0;
}

size_t NotFiniteLength(std::string_view text) {
  for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

bool IsJson(std::string_view text) {
  return !ScanJson(text, {}, [](JsonPiece, std::string_view, size_t) {});
}

}  // namespace telltale
