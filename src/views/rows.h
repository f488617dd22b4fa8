// SPDX-License-Identifier: Apache-2.0
// Rows as JSON objects and CSV lines, by their table of fields (fields.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "views/fields.h"
#include "views/render/output.h"
#include "views/sorting.h"

namespace telltale {

template <typename Row>
void WriteJsonRow(const Row& row, const RowFields<Row>& fields, JsonWriter& json) {
  json.BeginObject();
  for (const RowField<Row>& field : fields) {
    json.Key(field.name);
    WriteJson(field.get(row), json);
  }
  json.EndObject();
}

template <typename Row>
void WriteJsonRows(std::string_view key, const std::vector<Row>& rows, const RowFields<Row>& fields,
                   RowRange range, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  const size_t end = range.End(rows.size());
  for (size_t i = range.First(rows.size()); i < end; ++i) WriteJsonRow(rows[i], fields, json);
  json.EndArray();
}

template <typename Row>
void WriteCsvRows(const std::vector<Row>& rows, const RowFields<Row>& fields, int64_t limit,
                  Output& output) {
  std::string line;
  for (const RowField<Row>& field : fields) {
    if (!line.empty()) line += ',';
    line += field.name;
  }
  line += '\n';
  output.Write(line);
  const size_t count = Limited(rows.size(), limit);
  for (size_t i = 0; i < count && output.wanted(); ++i) {
    line.clear();
    bool first = true;
    for (const RowField<Row>& field : fields) {
      if (!first) line += ',';
      first = false;
      AppendCsv(field.get(rows[i]), line);
    }
    line += '\n';
    output.Write(line);
  }
}

// The names of the fields, for ViewSpec::sort_fields.
template <typename Row>
[[nodiscard]] std::vector<std::string_view> FieldNames(const RowFields<Row>& fields) {
  std::vector<std::string_view> names;
  for (const RowField<Row>& field : fields) names.push_back(field.name);
  return names;
}

}  // namespace telltale
