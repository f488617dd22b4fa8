// SPDX-License-Identifier: Apache-2.0
#include "views/query/message.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "query/sql_table.h"
#include "views/render/display.h"
#include "views/suggest.h"

namespace telltale {

namespace {

// As much of a line as is shown around the place.
constexpr size_t kShownBefore = 50;
constexpr size_t kShown = 76;

// Those that people take for granted or that only we have, for suggestions.
constexpr std::array<std::string_view, 20> kFunctions = {
    "abs",    "avg",    "coalesce", "count",  "group_concat", "iif",    "instr",
    "length", "lower",  "max",      "median", "min",          "printf", "percentile",
    "round",  "regexp", "substr",   "sum",    "total",        "upper"};

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::optional<size_t> FindWord(std::string_view sql, std::string_view word) {
  for (size_t at = sql.find(word); at != std::string_view::npos; at = sql.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool starts = at == 0 || !IsWordCharacter(sql[at - 1]);
    const bool ends = end == sql.size() || !IsWordCharacter(sql[end]);
    if (starts && ends) return at;
  }
  return std::nullopt;
}

// Of the tables that the SQL names, or of all if it names none.
std::vector<std::string_view> ColumnNames(std::string_view sql) {
  std::vector<std::string_view> names;
  for (const bool all : {false, true}) {
    for (const SqlTable& table : Tables()) {
      if (!all && !FindWord(sql, table.name)) continue;
      for (const SqlColumn& column : table.columns) names.push_back(column.name);
    }
    if (!names.empty()) break;
  }
  return names;
}

std::vector<std::string_view> TableNames() {
  std::vector<std::string_view> names;
  for (const SqlTable& table : Tables()) names.push_back(table.name);
  return names;
}

std::string_view LastPart(std::string_view name) {
  const size_t dot = name.find_last_of('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// The line with the place, cut to what fits, and a caret below.
std::string ShowPlace(std::string_view sql, size_t offset, bool unicode) {
  offset = std::min(offset, sql.size());
  const size_t before = offset == 0 ? std::string_view::npos : sql.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(sql.find('\n', offset), sql.size());
  std::string left = Printable(sql.substr(begin, offset - begin), unicode);
  std::string right = Printable(sql.substr(offset, end - offset), unicode);
  if (CodePoints(left) > kShownBefore)
    left = (unicode ? "…" : "...") + std::string(LastCodePoints(left, kShownBefore));
  const size_t room = kShown - std::min(kShown, CodePoints(left));
  if (CodePoints(right) > room)
    right = std::string(FirstCodePoints(right, room)) + (unicode ? "…" : "...");
  return left + right + "\n" + std::string(DisplayWidth(left), ' ') + "^";
}

}  // namespace

std::string QueryMessage(const QueryError& error, std::string_view sql, bool unicode,
                         Spelling spelling) {
  const bool command = spelling == Spelling::kOption;
  std::string message = Printable(error.message, unicode);
  std::optional<size_t> offset = error.offset;
  std::string advice;
  if (!error.unknown_table.empty()) {
    const std::vector<std::string_view> names = TableNames();
    message += DidYouMean(LastPart(error.unknown_table), names);
    if (!offset) offset = FindWord(sql, LastPart(error.unknown_table));
    advice = fmt::format("tables: {}", fmt::join(names, ", "));
  } else if (!error.unknown_column.empty()) {
    message += DidYouMean(LastPart(error.unknown_column), ColumnNames(sql));
    if (!offset) offset = FindWord(sql, error.unknown_column);
    advice = fmt::format("{} lists the columns",
                         command ? "'telltale query --schema'" : "GET /api/v1/schema");
  } else if (!error.unknown_function.empty()) {
    message += DidYouMean(error.unknown_function, kFunctions);
    if (!offset) offset = FindWord(sql, error.unknown_function);
  } else if (error.kind == QueryError::Kind::kTime) {
    if (command) advice = "--timeout SECONDS gives it more (0: no end)";
  } else if (error.kind == QueryError::Kind::kMemory) {
    advice = "select fewer columns, filter with WHERE, or group before sorting";
  }
  if (offset) message += "\n" + ShowPlace(sql, *offset, unicode);
  if (!advice.empty()) message += "\n" + advice;
  return message;
}

}  // namespace telltale
