// SPDX-License-Identifier: Apache-2.0
#include "runs/csv_series.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "base/yaml.h"

namespace telltale {

namespace {

constexpr size_t kMostColumns = 100'000;

// One record of RFC 4180 from the front; quotes may hold commas and ends of lines. False: there is
// none, or its end is missing.
bool TakeRecord(std::string_view& text, std::vector<std::string>& cells) {
  cells.clear();
  std::string cell;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      cells.push_back(std::exchange(cell, {}));
      if (cells.size() > kMostColumns) return false;
    } else if (c == '\n') {
      if (cell.ends_with('\r')) cell.pop_back();
      cells.push_back(std::move(cell));
      text.remove_prefix(i + 1);
      return true;
    } else {
      cell += c;
    }
  }
  return false;
}

std::optional<double> NumberOf(std::string_view cell) {
  const JsonValue value = YamlScalar(cell);
  if (value.IsNumber()) return value.AsDouble();
  if (cell == "NaN") return std::nan("");
  return std::nullopt;
}

size_t Find(const std::vector<std::string>& columns, std::string_view name) {
  size_t at = 0;
  while (at < columns.size() && columns[at] != name) ++at;
  return at;
}

}  // namespace

SeriesSet ReadCsvSeries(std::string_view text) {
  SeriesSet set;
  const std::string_view all = text;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<std::string> columns, cells;
  if (!TakeRecord(text, columns)) return set;
  for (std::string& name : columns) name = RepairUtf8(name);
  size_t step_at = Find(columns, "step");
  if (step_at == columns.size()) step_at = Find(columns, "epoch");
  size_t wall_at = Find(columns, "created_at");
  if (wall_at == columns.size()) wall_at = Find(columns, "timestamp");
  std::vector<std::optional<uint32_t>> tags(columns.size());
  for (int64_t row = 0; !text.empty(); ++row) {
    const size_t offset = all.size() - text.size();
    if (!TakeRecord(text, cells)) break;
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() > columns.size()) {
      set.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
    }
    int64_t step = row;
    double wall = std::nan("");
    if (step_at < cells.size()) {
      const JsonValue value = YamlScalar(cells[step_at]);
      if (value.IsNumber()) step = value.AsInt();
    }
    if (wall_at < cells.size()) wall = NumberOf(cells[wall_at]).value_or(wall);
    set.SeeWallTime(wall);
    for (size_t i = 0; i < cells.size() && i < columns.size(); ++i) {
      if (i == step_at || i == wall_at || cells[i].empty()) continue;
      const std::optional<double> value = NumberOf(cells[i]);
      if (!value) {
        set.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
        continue;
      }
      if (!tags[i]) tags[i] = set.FindOrAdd(columns[i], "scalars");
      set.tags[*tags[i]].scalars.Append(step, wall, *value);
    }
  }
  return set;
}

}  // namespace telltale
