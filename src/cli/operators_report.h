// SPDX-License-Identifier: Apache-2.0
// What the traces of a run say: profiler/operators.txt, the table that torch's key_averages() users
// know, and one sentence. Both come from the views (views/answer.h, views/operators/torch_table.h).
#pragma once

#include <string>
#include <string_view>

#include "base/json/value.h"
#include "base/result.h"

namespace telltale {

// The order of the table by itself: device time where there is any, else the processor's.
constexpr std::string_view kSortByItself = "auto";

// Whether a table can be sorted by it; the Error says what is valid.
[[nodiscard]] Result<void> CheckOperatorSort(std::string_view key);

struct OperatorsReport {
  std::string table;   // empty: no operator was recorded
  std::string answer;  // a sentence
};

// Reads the traces in a folder. `settings`: sort_by_key, row_limit, group_by_input_shapes.
[[nodiscard]] Result<OperatorsReport> ReportOperators(const std::string& folder,
                                                      const JsonValue& settings);

}  // namespace telltale
