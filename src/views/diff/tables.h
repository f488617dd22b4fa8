// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison, described once for JSON, CSV, terminal and Markdown. The names of the
// values carry their unit, so a table is described for a unit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/diff/diff.h"
#include "views/diff/output.h"
#include "views/table_spec.h"

namespace telltale {

// A row with the name of its table, which all rows carry where they stand in one list.
struct ComparedRow {
  std::string_view table;
  const DiffRow* row;
};

[[nodiscard]] TableSpec<ComparedRow> ComparedTable(ValueUnit unit);
[[nodiscard]] TableSpec<DiffCause> DiffCauseTable();

// "+4.2 %", "-12 %"; nothing: Missing.
[[nodiscard]] std::string FormatChange(const std::optional<double>& share,
                                       std::string_view missing);

}  // namespace telltale
