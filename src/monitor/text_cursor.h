// SPDX-License-Identifier: Apache-2.0
// Numbers and words in the texts of /proc and /sys, in place. Never looks beyond the text. What is
// no number is read as 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/digits.h"

namespace telltale {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  [[nodiscard]] bool at_end() const { return at_ >= end_; }
  [[nodiscard]] std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }

  // Blanks in front are skipped. One beyond 64 bits becomes some number.
  [[nodiscard]] uint64_t Number() {
    SkipBlanks();
    uint64_t value = 0;
    if (end_ - at_ >= 8 && EightDigits(at_, value)) at_ += 8;
    for (; at_digit(); ++at_) value = value * 10 + static_cast<uint64_t>(*at_ - '0');
    return value;
  }
  // "a" or "cpu0:", up to a blank or the end of the line.
  [[nodiscard]] std::string_view Word() {
    SkipBlanks();
    const char* begin = at_;
    while (at_ < end_ && *at_ != ' ' && *at_ != '\t' && *at_ != '\n') ++at_;
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  void SkipWords(int count) {
    for (int i = 0; i < count; ++i) (void)Word();
  }
  // If the text goes on with it.
  [[nodiscard]] bool Take(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  [[nodiscard]] bool at_digit() const { return at_ < end_ && IsDigit(*at_); }
  void NextLine() {
    const size_t newline = rest().find('\n');
    at_ = newline == std::string_view::npos ? end_ : at_ + newline + 1;
  }
  // Behind the next `text`; false, and at the end, if there is none.
  [[nodiscard]] bool SkipBehind(std::string_view text) {
    const size_t found = rest().find(text);
    at_ = found == std::string_view::npos ? end_ : at_ + found + text.size();
    return found != std::string_view::npos;
  }

 private:
  void SkipBlanks() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  const char* at_;
  const char* end_;
};

// What a counter grew by; one that was set back (a device that came anew) begins again.
[[nodiscard]] inline uint64_t Growth(uint64_t now, uint64_t before) {
  return now >= before ? now - before : 0;
}

}  // namespace telltale
