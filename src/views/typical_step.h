// SPDX-License-Identifier: Apache-2.0
// The step that stands for the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/core/step_rows.h"

namespace telltale {

// The complete step of median duration (of an even number, the longer of the two in the middle); of
// one file where `file` is given. nullptr: no step is complete.
[[nodiscard]] inline const StepRow* TypicalStep(const StepReport& steps,
                                                std::optional<uint32_t> file = std::nullopt) {
  std::vector<const StepRow*> rows;
  for (const StepRow& row : steps.rows) {
    if (row.complete && (!file || row.file == *file)) rows.push_back(&row);
  }
  if (rows.empty()) return nullptr;
  std::ranges::stable_sort(rows, {}, &StepRow::duration_ns);
  return rows[rows.size() / 2];
}

}  // namespace telltale
