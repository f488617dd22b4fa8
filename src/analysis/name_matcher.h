// SPDX-License-Identifier: Apache-2.0
// A user's regular expression, searched in names that come from a file: never fails, never runs out
// of stack.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace telltale {

class NameMatcher {
 public:
  // ECMAScript syntax. What is no valid expression matches nothing.
  explicit NameMatcher(const std::string& expression) {
    try {
      expression_.emplace(expression, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      expression_.reset();
    }
  }

  [[nodiscard]] bool Matches(std::string_view name) const {
    if (!expression_) return false;
    // std::regex recurses once per character: a name of megabytes would exhaust the stack.
    const std::string_view text = name.substr(0, kLongestSearched);
    try {
      return std::regex_search(text.begin(), text.end(), *expression_);
    } catch (const std::regex_error&) {  // an expression too complex for this name
      return false;
    }
  }

 private:
  static constexpr size_t kLongestSearched = 1024;

  std::optional<std::regex> expression_;
};

}  // namespace telltale
