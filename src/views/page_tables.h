// SPDX-License-Identifier: Apache-2.0
// What the page knows of tables: the types of their rows and the description of their columns, as
// TypeScript (web/src/api/generated.ts; scripts/generate writes it).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/table_spec.h"

namespace telltale {

struct PageTable {
  std::string_view name;             // of the description: "OPERATORS"; none: only the rows' type
  std::string_view row;              // of the type: "OperatorRow"
  std::vector<ColumnFacts> columns;  // in the order of JSON
  std::vector<std::string_view> order;  // for people: keys; none: as they are
};

// What values of a column are called, for people.
struct PageWords {
  std::string_view name;                                             // "IDLE_CAUSES"
  std::vector<std::pair<std::string_view, std::string_view>> words;  // by value
};

template <typename Row>
[[nodiscard]] PageTable ForPage(std::string_view name, std::string_view row,
                                const TableSpec<Row>& spec) {
  return {name, row, {spec.columns.begin(), spec.columns.end()}, spec.order};
}

[[nodiscard]] std::string TypeScriptOf(const PageTable& table, bool with_row = true);
// Of all views; a type that several tables share is there once.
[[nodiscard]] std::string PageTablesSource();
// Of the pages of runs, which are loaded apart (web/src/api/runs.generated.ts).
[[nodiscard]] std::string RunTablesSource();

}  // namespace telltale
