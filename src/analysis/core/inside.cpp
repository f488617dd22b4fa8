// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/inside.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/core/name_matcher.h"
#include "base/cancel.h"
#include "base/column.h"

namespace telltale {

std::optional<IntervalSet> TimesInside(const Trace& trace, const HostTree& tree,
                                       const std::string& expression) {
  enum : uint8_t { kUnknown, kMatches, kDiffers };
  NameMatcher matcher(expression);
  Column<uint8_t> known(trace.strings.size());
  std::vector<Interval> annotations;
  std::vector<Interval> operators;
  CancelCheck cancel;
  for (NodeId node = 0; node < tree.size(); ++node) {
    cancel.Tick();
    const SpanRow row = tree.span[node];
    const Category category = trace.spans.category[row];
    if (category == Category::kRuntime) continue;
    uint8_t& matches = known[static_cast<uint32_t>(trace.spans.name[row])];
    if (matches == kUnknown) matches = matcher.Matches(trace.NameOfSpan(row)) ? kMatches : kDiffers;
    if (matches != kMatches) continue;
    (category == Category::kAnnotation ? annotations : operators)
        .push_back({trace.spans.start_ns[row], trace.spans.end_ns(row)});
  }
  if (matcher.gave_up()) return std::nullopt;
  return Union(std::move(annotations.empty() ? operators : annotations));
}

}  // namespace telltale
