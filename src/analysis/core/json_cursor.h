// SPDX-License-Identifier: Apache-2.0
// The arguments of operators: lists of lists of numbers and strings, one value after the other.
// Looks at text that a reader has checked already. No JSON reader does here: "Concrete Inputs" are
// texts of Python ([True, False]), there are hundreds of thousands of them, and a broken one ends
// where it is broken.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : rest_(text) {}

  bool Take(char wanted) {
    SkipSpace();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool Sees(char wanted) {
    SkipSpace();
    return !rest_.empty() && rest_.front() == wanted;
  }
  std::optional<int64_t> Integer() {
    SkipSpace();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  // [1,2,3]
  std::optional<std::vector<int64_t>> Integers() {
    if (!Take('[')) return std::nullopt;
    std::vector<int64_t> values;
    if (Take(']')) return values;
    do {
      const std::optional<int64_t> value = Integer();
      if (!value) return std::nullopt;
      values.push_back(*value);
    } while (Take(','));
    if (!Take(']')) return std::nullopt;
    return values;
  }
  // Escapes are not resolved: the texts needed here hold none.
  std::optional<std::string> String() {
    if (!Take('"')) return std::nullopt;
    std::string text;
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) return std::nullopt;
      text.push_back(rest_.front());
      rest_.remove_prefix(1);
    }
    if (!Take('"')) return std::nullopt;
    return text;
  }
  // Up to the next comma or bracket.
  std::string_view Word() {
    SkipSpace();
    size_t length = 0;
    while (length < rest_.size() && rest_[length] != ',' && rest_[length] != ']') ++length;
    std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    return word;
  }
  // Steps over any value.
  bool Skip() {
    if (Sees('"')) return String().has_value();
    size_t depth = 0;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"') {
        if (!String()) return false;
        continue;
      }
      if (depth == 0 && (c == ',' || c == ']' || c == '}')) return true;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      rest_.remove_prefix(1);
    }
    return depth == 0;
  }
  [[nodiscard]] bool AtEnd() {
    SkipSpace();
    return rest_.empty();
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  void SkipSpace() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }
  std::string_view rest_;
};

}  // namespace telltale
