// SPDX-License-Identifier: Apache-2.0
// The tables as SQLite sees them: virtual tables over the columns in memory, nothing is copied.
// Conditions on numbers and on numbered texts, and orders over them, are the table's own business;
// SQLite does the rest.
#pragma once

#include <memory>
#include <vector>

#include <sqlite3.h>

#include "query/allowance.h"
#include "query/query_file.h"
#include "query/row_table.h"

namespace telltale {

// Shared by all tables of a connection; outlives it.
struct TableModules {
  TableModules(const QuerySource& source, Allowance& of_query);
  // Looked at while a table searches: SQLite's own look comes between its instructions only.
  Allowance& allowance;
  std::vector<std::unique_ptr<RowTable>> tables;
  // While a table tells SQLite its columns, which takes the form of a CREATE TABLE: at the start,
  // and again whenever SQLite forgot its schema.
  bool declaring = false;
};

// Makes all tables known to a connection. An SQLite result code.
[[nodiscard]] int RegisterTables(sqlite3* connection, TableModules& modules);

}  // namespace telltale
