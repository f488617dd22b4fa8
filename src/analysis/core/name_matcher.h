// SPDX-License-Identifier: Apache-2.0
// A user's regular expression, searched in names that come from a file: never fails, and takes no
// longer than reading them does; or gives up.
#pragma once

#include <string_view>

#include "base/pattern.h"
#include "base/result.h"

namespace telltale {

class NameMatcher {
 public:
  // What is no valid expression matches nothing.
  explicit NameMatcher(std::string_view expression) : pattern_(Pattern::Compile(expression)) {}

  [[nodiscard]] bool Matches(std::string_view name) { return pattern_ && pattern_->Matches(name); }
  // It was too much work, and what Matches said means nothing (pattern.h).
  [[nodiscard]] bool gave_up() const { return pattern_ && pattern_->gave_up(); }

 private:
  Result<Pattern> pattern_;
};

}  // namespace telltale
