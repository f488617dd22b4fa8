// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <algorithm>

#include "base/digits.h"

namespace telltale {

namespace {}  // namespace

std::optional<int64_t> DecimalToInt(std::string_view text, int shift) {
  size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) ++i;

  // First the shape: [digits][.digits][e±digits], at least one digit before the exponent.
  const size_t whole_begin = i;
  while (i < text.size() && IsDigit(text[i])) ++i;
  const std::string_view whole = text.substr(whole_begin, i - whole_begin);
  std::string_view fraction;
  if (i < text.size() && text[i] == '.') {
    const size_t begin = ++i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    fraction = text.substr(begin, i - begin);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  int64_t exponent = 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    const bool minus = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (i == text.size() || !IsDigit(text[i])) return std::nullopt;
    while (i < text.size() && IsDigit(text[i])) {
      exponent = std::min<int64_t>(exponent * 10 + (text[i] - '0'), 1'000'000);
      ++i;
    }
    if (minus) exponent = -exponent;
  }
  if (i != text.size()) return std::nullopt;

  // The digits d0 d1 … stand for an integer followed by `places` fractional digits.
  const auto digit = [&](size_t k) {
    return static_cast<unsigned>((k < whole.size() ? whole[k] : fraction[k - whole.size()]) - '0');
  };
  const size_t digits = whole.size() + fraction.size();
  const int64_t keep = static_cast<int64_t>(whole.size()) + exponent + shift;
  constexpr uint64_t kMax = static_cast<uint64_t>(INT64_MAX);
  uint64_t value = 0;
  for (int64_t k = 0; k < keep; ++k) {
    const bool has_digit = k < static_cast<int64_t>(digits);
    if (!has_digit && value == 0) break;  // only zeros follow
    const uint64_t d = has_digit ? digit(static_cast<size_t>(k)) : 0;
    if (value > (kMax - d) / 10) return std::nullopt;
    value = value * 10 + d;
  }
  if (keep >= 0 && keep < static_cast<int64_t>(digits) && digit(static_cast<size_t>(keep)) >= 5) {
    if (value == kMax) return std::nullopt;
    ++value;
  }
  return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

}  // namespace telltale
