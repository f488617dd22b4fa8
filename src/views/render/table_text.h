// SPDX-License-Identifier: Apache-2.0
// A table for people, from its description: titles with units, numbers in one unit a column, bars,
// what is missing, and the columns that there is something in. The layout is table.h's business.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "views/render/terminal.h"
#include "views/table_data.h"

namespace telltale {

struct TableTextRequest {
  size_t limit = 0;                          // rows shown; 0: all
  std::span<const std::string> labels = {};  // of the files, for Quantity::kFile
};

[[nodiscard]] std::string TableText(const TableData& table, const TableTextRequest& request,
                                    const OutputStyle& style);

}  // namespace telltale
