// SPDX-License-Identifier: Apache-2.0
// A regular expression inside a query: its memory is the query's, and its work on one text is
// bounded well below a second, so that the query's time is looked at in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/pattern.h"
#include "query/allowance.h"

namespace telltale {

class CountedPattern {
 public:
  CountedPattern(Pattern pattern, Allowance& allowance)
      : pattern_(std::move(pattern)), allowance_(&allowance), charge_(allowance) {
    charge_.Set(pattern_.most_memory_bytes());  // throws std::bad_alloc
  }

  // Throws QueryStopped where the query has no time left.
  [[nodiscard]] bool Matches(std::string_view text) {
    constexpr uint64_t kMostWorkOnText = Pattern::kMostWork / 4;
    constexpr size_t kLongText = 1000;  // beside it a look at the clock is nothing
    pattern_.AllowWork(kMostWorkOnText);
    const bool matches = pattern_.Matches(text);
    if (text.size() > kLongText && allowance_->Spent()) throw QueryStopped();
    return matches;
  }
  // The last text was too much work; what Matches said of it means nothing.
  [[nodiscard]] bool gave_up() const { return pattern_.gave_up(); }

 private:
  Pattern pattern_;
  Allowance* allowance_;
  Charge charge_;
};

}  // namespace telltale
