// SPDX-License-Identifier: Apache-2.0
// The result of a query as a table for people, CSV, JSON or Markdown. CSV and JSON are written row
// by row: a result can be larger than memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_writer.h"
#include "query/database.h"
#include "views/render/output.h"
#include "views/render/terminal.h"
#include "views/view.h"

namespace telltale {

// Rows that a person is shown where no number was asked for.
constexpr int64_t kTableRows = 1000;

struct QueryOutcome {
  int64_t rows = 0;
  bool cut = false;                 // there were more rows than the limit let pass
  std::optional<QueryError> error;  // what stopped it; the rows before were written
};

// At most `limit` rows; 0: all.
[[nodiscard]] QueryOutcome WriteResult(Statement& statement, OutputFormat format, int64_t limit,
                                       const OutputStyle& style, Output& output);

// For documents that hold a result: a list of the columns' names, and of the current row's values.
void WriteColumnNames(const Statement& statement, JsonWriter& json);
void WriteRowValues(const Statement& statement, JsonWriter& json);
// Whether WriteRowValues would write at most `room` bytes; takes no memory to find out.
[[nodiscard]] bool RowFits(const Statement& statement, size_t room);

// Every table with its columns: name, type, meaning.
void WriteSchemaJson(JsonWriter& json);
void WriteSchema(OutputFormat format, const OutputStyle& style, Output& output);

}  // namespace telltale
