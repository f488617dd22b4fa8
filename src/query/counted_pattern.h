// SPDX-License-Identifier: Apache-2.0
// A regular expression inside a query: its states are the query's memory, and its work on one text
// is bounded well below a second, so that the query's time is looked at in between.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/pattern.h"
#include "query/allowance.h"

namespace telltale {

class CountedPattern {
 public:
  CountedPattern(Pattern pattern, Allowance& allowance)
      : pattern_(std::move(pattern)), allowance_(&allowance), charge_(allowance) {}

  // Throws std::bad_alloc where the query has no memory left, QueryStopped where it has no time.
  [[nodiscard]] bool Matches(std::string_view text) {
    constexpr uint64_t kMostWorkOnText = Pattern::kMostWork / 4;
    constexpr uint64_t kLongWork = 10'000;  // some hundred microseconds
    const uint64_t before = pattern_.work();
    pattern_.AllowWork(kMostWorkOnText);
    const bool matches = pattern_.Matches(text);
    if (pattern_.work() - before > kLongWork && allowance_->Spent()) throw QueryStopped();
    charge_.Set(static_cast<int64_t>(pattern_.memory_bytes()));
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
