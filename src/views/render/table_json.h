// SPDX-License-Identifier: Apache-2.0
// A table for programs, from its description: JSON objects and CSV lines.
#pragma once

#include <cstdint>

#include "base/json_writer.h"
#include "views/render/output.h"
#include "views/row_range.h"
#include "views/table_data.h"

namespace telltale {

// An array of objects. `lists`: a limit for lists in them; <= 0: all.
void WriteTableJson(const TableData& table, RowRange range, JsonWriter& json, int64_t lists = 0);
// A header and a line a row; `limit` <= 0: all.
void WriteTableCsv(const TableData& table, int64_t limit, Output& output);

}  // namespace telltale
