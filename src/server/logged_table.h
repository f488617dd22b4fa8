// SPDX-License-Identifier: Apache-2.0
// A table that a tracker logged, as rows of texts: W&B's {"columns", "data"}, trackio's {"_value":
// [{column: cell}]}.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

struct LoggedTable {
  std::vector<std::vector<std::string>> rows;  // names of the columns, then the first of its rows
  size_t total = 0;                            // rows that there are, without the names
};

// What is no such table is one without rows.
[[nodiscard]] LoggedTable ReadLoggedTable(std::string_view json);

}  // namespace telltale
