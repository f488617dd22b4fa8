// SPDX-License-Identifier: Apache-2.0
#include "server/logged_table.h"

#include <algorithm>
#include <utility>

#include "base/json/value.h"

namespace telltale {

namespace {

// As many as a person looks at; the file has the others.
constexpr size_t kMostRows = 200;
constexpr size_t kMostColumns = 60;

std::string CellText(const JsonValue& cell) {
  if (cell.IsNull()) return {};
  return cell.IsString() ? cell.AsString() : ToJsonText(cell);
}

LoggedTable OfLists(const JsonValue& columns, const JsonValue& data) {
  LoggedTable table;
  table.total = data.elements().size();
  const auto texts = [](const JsonValue& list) {
    std::vector<std::string> row;
    for (const JsonValue& cell : list.elements()) {
      if (row.size() == kMostColumns) break;
      row.push_back(CellText(cell));
    }
    return row;
  };
  table.rows.push_back(texts(columns));
  for (const JsonValue& row : data.elements()) {
    if (table.rows.size() > kMostRows) break;
    table.rows.push_back(texts(row));
  }
  return table;
}

// Columns are those that any of the shown rows has, in the order of their first appearance.
LoggedTable OfObjects(const JsonValue& list) {
  LoggedTable table;
  table.total = list.elements().size();
  const size_t shown = std::min(table.total, kMostRows);
  std::vector<std::string> names;
  for (size_t i = 0; i < shown; ++i) {
    for (const auto& [name, cell] : list.elements()[i].members()) {
      if (names.size() < kMostColumns && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  table.rows.push_back(names);
  for (size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row;
    row.reserve(names.size());
    for (const std::string& name : names) row.push_back(CellText(list.elements()[i][name]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

LoggedTable ReadLoggedTable(std::string_view json) {
  const Result<JsonValue> parsed = ParseJson(json);
  if (!parsed || !parsed->IsObject()) return {};
  const JsonValue& of = *parsed;
  return of["data"].IsArray() ? OfLists(of["columns"], of["data"]) : OfObjects(of["_value"]);
}

}  // namespace telltale
