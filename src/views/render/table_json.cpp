// SPDX-License-Identifier: Apache-2.0
#include "views/render/table_json.h"

#include <string>
#include <string_view>
#include <vector>

namespace telltale {

namespace {

void WriteRow(const TableData& table, size_t row, int64_t limit, JsonWriter& json) {
  std::string_view group;
  json.BeginObject();
  for (size_t c = 0; c < table.columns(); ++c) {
    const ColumnFacts& facts = table.column(c);
    if (!facts.for_programs) continue;
    if (facts.group != group) {
      if (!group.empty()) json.EndObject();
      group = facts.group;
      if (!group.empty()) {
        json.Key(group);
        json.BeginObject();
      }
    }
    json.Key(facts.key);
    if (!table.Json(row, c, limit, json)) WriteJson(table.Value(row, c), json);
  }
  if (!group.empty()) json.EndObject();
  json.EndObject();
}

}  // namespace

void WriteTableJson(const TableData& table, RowRange range, JsonWriter& json, int64_t lists) {
  json.BeginArray();
  const size_t end = range.End(table.rows());
  for (size_t row = range.First(table.rows()); row < end; ++row) WriteRow(table, row, lists, json);
  json.EndArray();
}

void WriteTableCsv(const TableData& table, int64_t limit, Output& output) {
  std::string line;
  std::vector<size_t> columns;
  for (size_t c = 0; c < table.columns(); ++c) {
    if (!table.column(c).for_programs || !table.HasValue(c)) continue;
    columns.push_back(c);
    if (!line.empty()) line += ',';
    line += table.column(c).key;
  }
  line += '\n';
  output.Write(line);
  const size_t count = Limited(table.rows(), limit);
  for (size_t row = 0; row < count && output.wanted(); ++row) {
    line.clear();
    bool first = true;
    for (const size_t c : columns) {
      if (!first) line += ',';
      first = false;
      AppendCsv(table.Value(row, c), line);
    }
    line += '\n';
    output.Write(line);
  }
}

}  // namespace telltale
