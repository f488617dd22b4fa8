// SPDX-License-Identifier: Apache-2.0
// For tests: a database over hand-made traces, and the rows of a query as text.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"
#include "query/database.h"

namespace telltale {

inline std::string TextOf(const ResultValue& value) {
  switch (value.kind) {
    case ResultValue::Kind::kNull:
      return "NULL";
    case ResultValue::Kind::kInteger:
      return std::to_string(value.integer);
    case ResultValue::Kind::kReal:
      return "real " + std::to_string(value.real);
    case ResultValue::Kind::kText:
      return std::string(value.bytes);
    case ResultValue::Kind::kBlob:
      return "blob of " + std::to_string(value.bytes.size());
  }
  return {};
}

// "a|1" for each row; an error is the only row.
inline std::vector<std::string> RowsOf(Database& database, std::string_view sql) {
  QueryResult<Statement> statement = database.Prepare(sql);
  if (!statement) return {"error: " + statement.error().message};
  std::vector<std::string> rows;
  while (true) {
    const QueryResult<bool> next = statement->Next();
    if (!next) return {"error: " + next.error().message};
    if (!*next) return rows;
    std::string row;
    for (size_t c = 0; c < statement->columns().size(); ++c) {
      if (c > 0) row += '|';
      row += TextOf(statement->Get(c));
    }
    rows.push_back(std::move(row));
  }
}

inline std::string OneOf(Database& database, std::string_view sql) {
  const std::vector<std::string> rows = RowsOf(database, sql);
  EXPECT_EQ(rows.size(), 1U) << sql;
  return rows.empty() ? "" : rows[0];
}

}  // namespace telltale
