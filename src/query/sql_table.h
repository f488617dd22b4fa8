// SPDX-License-Identifier: Apache-2.0
// What a table of `telltale query` is: its columns with their types and meanings, and how to get
// the value of one row. A table is data: the files in tables/ each define one, tables.cpp lists
// them, virtual_table.cpp shows them to SQLite.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "query/query_file.h"
#include "query/value.h"

namespace telltale {

enum class ColumnType : uint8_t { kInteger, kReal, kText, kAny };
[[nodiscard]] std::string_view NameOf(ColumnType type);

// Which numbering the texts of a column have, so that they can be compared by number.
enum class TextNumbers : uint8_t {
  kNone,  // compared as text, by SQLite
  kPool,  // StringIds of the row's file
  kOwn,   // StringIds of QuerySource::own_texts
};

// How many rows share a value: what the planner is told.
enum class Spread : uint8_t { kUnique, kFew, kSome, kMany };

struct SqlColumn {
  std::string_view name;
  ColumnType type;
  std::string_view meaning;  // half a sentence, no full stop
  Value (*get)(const QueryFile& file, uint32_t row);
  Spread spread = Spread::kMany;
  TextNumbers numbers = TextNumbers::kNone;

  // Whether values have keys: numbers that are equal where the values are. Integers and reals are
  // their own keys.
  [[nodiscard]] bool HasKeys() const {
    return type == ColumnType::kInteger || type == ColumnType::kReal ||
           (type == ColumnType::kText && numbers != TextNumbers::kNone);
  }
};

struct SqlTable {
  std::string_view name;
  std::string_view meaning;
  std::vector<SqlColumn> columns;
  size_t (*rows)(const QueryFile& file);
  // A guess that costs nothing, for the planner.
  size_t (*about)(const QueryFile& file);
};

// All of them, in the order of the documentation.
[[nodiscard]] std::span<const SqlTable> Tables();

}  // namespace telltale
