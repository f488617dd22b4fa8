// SPDX-License-Identifier: Apache-2.0
#include "query/text_filter.h"

#include <utility>

#include <sqlite3.h>

#include "query/defenses.h"

namespace telltale {

TextFilter::TextFilter(const RowTable& rows, const Condition& condition, std::string_view pattern,
                       Allowance& allowance)
    : rows_(&rows),
      condition_(condition),
      pattern_(pattern),
      allowance_(&allowance),
      charge_(allowance) {
  if (condition.comparison != Comparison::kRegexp) {
    valid_ = pattern.size() <= kLongestLikePattern;
    return;
  }
  Result<Pattern> compiled = Pattern::Compile(pattern);
  valid_ = compiled.has_value();
  if (valid_) compiled_.emplace(std::move(*compiled), allowance);
}

void TextFilter::Grow(size_t keys) {
  charge_.Set(static_cast<int64_t>(keys));
  answers_.resize(keys, Answer::kUnknown);
}

bool TextFilter::Try(int64_t key) {
  // Texts may be long, and a look at the clock is nothing beside them.
  if (allowance_->Spent()) throw QueryStopped();
  const std::string_view text = rows_->TextOfKey(condition_.column, key);
  if (compiled_) {
    const bool matches = compiled_->Matches(text);
    // The function itself, which SQLite calls for rows that pass, says what is wrong.
    return matches || compiled_->gave_up();
  }
  const std::string terminated(text);
  return condition_.comparison == Comparison::kLike
             ? sqlite3_strlike(pattern_.c_str(), terminated.c_str(), 0) == 0
             : sqlite3_strglob(pattern_.c_str(), terminated.c_str()) == 0;
}

}  // namespace telltale
