// SPDX-License-Identifier: Apache-2.0
// Which events of one file a search means. Texts are compared once for each that differs. For one
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/timeline/index.h"
#include "analysis/timeline/search_query.h"

namespace telltale {

class SpanMatcher {
 public:
  // All three outlive it.
  SpanMatcher(const TraceContext& context, const FileTimeline& file, const SearchQuery& query);

  // Whether any event of the file could match.
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool Matches(SpanRow row) {
    return wanted_[static_cast<size_t>(trace_.spans.name[row])] != 0 && MeetsAll(row);
  }

 private:
  [[nodiscard]] bool MeetsAll(SpanRow row);
  [[nodiscard]] bool Meets(size_t condition, SpanRow row);
  [[nodiscard]] bool HasText(size_t condition, SpanRow row);
  [[nodiscard]] bool HasDimensions(const SearchCondition& condition,
                                   const uint32_t (&size)[3]) const;
  [[nodiscard]] std::optional<double> NumberOf(SearchField field, SpanRow row) const;
  [[nodiscard]] bool Contains(size_t condition, StringId text);
  // The operator of a host event, or that launched a device event.
  [[nodiscard]] const OperatorDetail* OperatorBehind(SpanRow row) const;
  [[nodiscard]] const CollectiveDetail* CollectiveOf(SpanRow row) const;

  const TraceContext& context_;
  const Trace& trace_;
  const FileTimeline& file_;
  const SearchQuery& query_;
  std::vector<uint8_t> wanted_;                           // by StringId of the name
  std::vector<std::unordered_map<StringId, bool>> seen_;  // by condition
  bool any_ = false;
};

}  // namespace telltale
