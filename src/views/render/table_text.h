// SPDX-License-Identifier: Apache-2.0
// A table for people, from its description: titles with units, numbers in one unit a column, bars,
// what is missing, and the columns that there is something in. The layout is table.h's business,
// or markdown.h's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "views/render/table.h"
#include "views/render/terminal.h"
#include "views/table_data.h"

namespace telltale {

struct TableTextRequest {
  size_t limit = 0;                          // rows shown; 0: all
  std::span<const std::string> labels = {};  // of the files, for Quantity::kFile
  size_t indent = 2;
  int least_importance = 1;  // columns that matter less are left out
  bool titles = true;
  bool units_in_cells = false;  // not in the titles: each number has what suits it
};

[[nodiscard]] Table TableForPeople(const TableData& table, const TableTextRequest& request,
                                   const OutputStyle& style);

[[nodiscard]] std::string TableText(const TableData& table, const TableTextRequest& request,
                                    const OutputStyle& style);

}  // namespace telltale
