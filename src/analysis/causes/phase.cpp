// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/phase.h"

#include <vector>

#include "analysis/core/backward_links.h"
#include "base/cancel.h"

namespace telltale {

bool IsTrainingName(std::string_view name) {
  return name.starts_with("Optimizer.step#") || BackwardNameOf(name) != BackwardName::kNone;
}

bool IsTraining(const Trace& trace) {
  std::vector<bool> seen(trace.strings.size(), false);
  CancelCheck cancel;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    cancel.Tick();
    const Category category = trace.spans.category[row];
    if (category != Category::kOperator && category != Category::kAnnotation) continue;
    const auto name = static_cast<size_t>(trace.spans.name[row]);
    if (name >= seen.size() || seen[name]) continue;
    seen[name] = true;
    if (IsTrainingName(trace.Text(trace.spans.name[row]))) return true;
  }
  return false;
}

}  // namespace telltale
