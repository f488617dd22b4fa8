// SPDX-License-Identifier: Apache-2.0
// LIKE, GLOB and REGEXP on a column of numbered texts: each distinct text is tried once, however
// many rows have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/allowance.h"
#include "query/counted_pattern.h"
#include "query/plan.h"
#include "query/row_table.h"

namespace telltale {

class TextFilter {
 public:
  TextFilter(const RowTable& rows, const Condition& condition, std::string_view pattern,
             Allowance& allowance);

  // A pattern that is not valid, or too long: SQLite's own call of the function says why.
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] bool Is(const Condition& condition, std::string_view pattern) const {
    return condition_ == condition && pattern_ == pattern;
  }
  [[nodiscard]] bool Has(const RowTable::Place& place) {
    const int64_t key = rows_->Key(place, condition_.column);
    if (key == kNullKey) return false;
    const auto number = static_cast<size_t>(key);
    if (number >= answers_.size()) Grow(number + number / 2 + 64);
    if (answers_[number] == Answer::kUnknown)
      answers_[number] = Try(key) ? Answer::kMatches : Answer::kDiffers;
    return answers_[number] == Answer::kMatches;
  }

 private:
  enum class Answer : uint8_t { kUnknown, kMatches, kDiffers };
  [[nodiscard]] bool Try(int64_t key);
  void Grow(size_t keys);

  const RowTable* rows_;
  Condition condition_;
  std::string pattern_;
  std::optional<CountedPattern> compiled_;
  bool valid_ = true;
  Allowance* allowance_;
  Charge charge_;
  std::vector<Answer> answers_;  // by key
};

}  // namespace telltale
