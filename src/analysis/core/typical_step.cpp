// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/typical_step.h"

#include <algorithm>
#include <vector>

namespace telltale {

const StepRow* TypicalStep(const StepReport& steps, std::optional<uint32_t> file) {
  std::vector<const StepRow*> rows;
  for (const StepRow& row : steps.rows) {
    if (row.complete && (!file || row.file == *file)) rows.push_back(&row);
  }
  if (rows.empty()) return nullptr;
  std::ranges::stable_sort(rows, {}, &StepRow::duration_ns);
  return rows[rows.size() / 2];
}

}  // namespace telltale
