// SPDX-License-Identifier: Apache-2.0
#include "query/text_filter.h"

#include <utility>

#include <sqlite3.h>

namespace telltale {

TextFilter::TextFilter(const RowTable& rows, const Condition& condition, std::string_view pattern)
    : rows_(&rows), condition_(condition), pattern_(pattern) {
  if (condition.comparison != Comparison::kRegexp) return;
  Result<Pattern> compiled = Pattern::Compile(pattern);
  valid_ = compiled.has_value();
  if (valid_) compiled_ = std::move(*compiled);
}

bool TextFilter::Try(int64_t key) {
  const std::string_view text = rows_->TextOfKey(condition_.column, key);
  if (compiled_) return compiled_->Matches(text);
  const std::string terminated(text);
  return condition_.comparison == Comparison::kLike
             ? sqlite3_strlike(pattern_.c_str(), terminated.c_str(), 0) == 0
             : sqlite3_strglob(pattern_.c_str(), terminated.c_str()) == 0;
}

}  // namespace telltale
