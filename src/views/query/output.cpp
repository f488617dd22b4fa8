// SPDX-License-Identifier: Apache-2.0
#include "views/query/output.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "views/fields.h"
#include "views/render/display.h"
#include "views/render/table.h"

namespace telltale {

namespace {

using Kind = ResultValue::Kind;

std::string Hexadecimal(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

void AppendCsvValue(const ResultValue& value, std::string& out) {
  switch (value.kind) {
    case Kind::kNull:
      return;
    case Kind::kInteger:
      return AppendCsv(value.integer, out);
    case Kind::kReal:
      return AppendCsv(value.real, out);
    case Kind::kText:
      return AppendCsv(value.bytes, out);
    case Kind::kBlob:
      return AppendCsv(std::string_view(Hexadecimal(value.bytes)), out);
  }
}

// What a text takes in JSON at most: repaired where it is not UTF-8, escaped where it must be.
size_t JsonTextBytes(std::string_view text) {
  size_t bytes = 0;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const auto first = static_cast<uint8_t>(text[0]);
    const bool control = first < 0x20 || first == 0x7f;
    const bool quoted = first == '"' || first == '\\';
    bytes += length == 0 ? kReplacementCharacter.size() : control ? 6 : quoted ? 2 : length;
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return bytes;
}

void WriteJsonValue(const ResultValue& value, JsonWriter& json) {
  switch (value.kind) {
    case Kind::kNull:
      return json.Null();
    case Kind::kInteger:
      return json.Int(value.integer);
    case Kind::kReal:
      return json.Double(value.real);
    case Kind::kText:
      return json.String(RepairUtf8(value.bytes));
    case Kind::kBlob:
      return json.String(Hexadecimal(value.bytes));
  }
}

// For people: six digits of a fraction are enough, but never fewer than the whole part has.
std::string ShortReal(double value) {
  const double size = std::fabs(value);
  return size >= 1e6 && size < 1e15 ? fmt::format("{:.1f}", value) : fmt::format("{:.6g}", value);
}

std::string PlainText(const ResultValue& value) {
  switch (value.kind) {
    case Kind::kNull:
      return {};
    case Kind::kInteger:
      return std::to_string(value.integer);
    case Kind::kReal:
      return ShortReal(value.real);
    case Kind::kText:
      return std::string(value.bytes);
    case Kind::kBlob:
      return Hexadecimal(value.bytes);
  }
  return {};
}

// Steps through the rows, up to the limit.
QueryOutcome ForEachRow(Statement& statement, int64_t limit, const Output& output,
                        const std::function<void()>& each) {
  QueryOutcome outcome;
  while (output.wanted()) {
    const QueryResult<bool> next = statement.Next();
    if (!next) {
      outcome.error = next.error();
      break;
    }
    if (!*next) break;
    if (limit > 0 && outcome.rows == limit) {
      outcome.cut = true;
      break;
    }
    ++outcome.rows;
    each();
  }
  return outcome;
}

QueryOutcome WriteCsv(Statement& statement, int64_t limit, Output& output) {
  const std::vector<std::string>& columns = statement.columns();
  std::string line;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) line += ',';
    AppendCsv(std::string_view(columns[c]), line);
  }
  line += '\n';
  output.Write(line);
  return ForEachRow(statement, limit, output, [&] {
    line.clear();
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) line += ',';
      AppendCsvValue(statement.Get(c), line);
    }
    line += '\n';
    output.Write(line);
  });
}

QueryOutcome WriteJson(Statement& statement, int64_t limit, Output& output) {
  std::vector<std::string> names;
  for (const std::string& name : statement.columns()) names.push_back(RepairUtf8(name));
  bool first = true;
  output.Write("[");
  const QueryOutcome outcome = ForEachRow(statement, limit, output, [&] {
    JsonWriter json(false);
    json.BeginObject();
    for (size_t c = 0; c < names.size(); ++c) {
      json.Key(names[c]);
      WriteJsonValue(statement.Get(c), json);
    }
    json.EndObject();
    std::string text = json.Take();
    while (text.ends_with('\n')) text.pop_back();
    output.Write(first ? "\n  " : ",\n  ");
    first = false;
    output.Write(text);
  });
  output.Write(first ? "]\n" : "\n]\n");
  return outcome;
}

// Rows held for a layout that must know them all.
struct HeldRows {
  std::vector<std::vector<std::string>> cells;
  std::vector<bool> numeric;  // by column: only numbers and NULLs, and a number at least
};

QueryOutcome Hold(Statement& statement, int64_t limit, const Output& output, HeldRows& held) {
  const size_t columns = statement.columns().size();
  std::vector<bool> any_number(columns, false);
  held.numeric.assign(columns, true);
  const QueryOutcome outcome = ForEachRow(statement, limit, output, [&] {
    std::vector<std::string>& row = held.cells.emplace_back();
    for (size_t c = 0; c < columns; ++c) {
      const ResultValue value = statement.Get(c);
      const bool number = value.kind == Kind::kInteger || value.kind == Kind::kReal;
      if (number) any_number[c] = true;
      if (!number && value.kind != Kind::kNull) held.numeric[c] = false;
      row.push_back(PlainText(value));
    }
  });
  for (size_t c = 0; c < columns; ++c) held.numeric[c] = held.numeric[c] && any_number[c];
  return outcome;
}

// What Markdown would read as markup.
std::string MarkdownText(std::string_view text) {
  std::string out;
  for (const char c : RepairUtf8(text)) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|~&#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

QueryOutcome WriteMarkdown(Statement& statement, int64_t limit, Output& output) {
  HeldRows held;
  const QueryOutcome outcome = Hold(statement, limit, output, held);
  std::string line = "|";
  std::string rule = "|";
  for (size_t c = 0; c < statement.columns().size(); ++c) {
    line += " " + MarkdownText(statement.columns()[c]) + " |";
    rule += held.numeric[c] ? " ---: |" : " --- |";
  }
  output.Write(line + "\n" + rule + "\n");
  for (const auto& row : held.cells) {
    line = "|";
    for (const std::string& cell : row) line += " " + MarkdownText(cell) + " |";
    output.Write(line + "\n");
  }
  return outcome;
}

// Below this a shortened text says nothing.
constexpr size_t kLeastTextWidth = 10;

// Too many columns for the width: one column a line, row after row.
void WriteRecords(const std::vector<std::string>& columns, const HeldRows& held,
                  const OutputStyle& style, Output& output) {
  size_t name_width = 0;
  for (const std::string& name : columns) name_width = std::max(name_width, DisplayWidth(name));
  name_width = std::min(name_width, style.width / 2);
  for (size_t r = 0; r < held.cells.size(); ++r) {
    output.Write(Paint(Ink::kDim, fmt::format("row {}", r + 1), style) + "\n");
    for (size_t c = 0; c < columns.size(); ++c) {
      const size_t room = style.width > name_width + 4 ? style.width - name_width - 4 : 1;
      std::string line =
          "  " + PadRight(ShortenMiddle(columns[c], name_width, style.unicode), name_width) + "  " +
          ShortenMiddle(held.cells[r][c], room, style.unicode);
      while (line.ends_with(' ')) line.pop_back();
      output.Write(line + "\n");
    }
  }
}

QueryOutcome WriteTable(Statement& statement, int64_t limit, const OutputStyle& style,
                        Output& output) {
  HeldRows held;
  const QueryOutcome outcome = Hold(statement, limit, output, held);
  if (held.cells.empty()) {
    if (!outcome.error) output.Write("no rows\n");
    return outcome;
  }
  for (auto& row : held.cells) {
    for (std::string& cell : row) cell = Printable(cell, style.unicode);
  }
  std::vector<std::string> names;
  for (const std::string& name : statement.columns())
    names.push_back(Printable(name, style.unicode));

  std::vector<TableColumn> columns;
  size_t needed = 0;
  for (size_t c = 0; c < names.size(); ++c) {
    size_t width = DisplayWidth(names[c]);
    for (const auto& row : held.cells) width = std::max(width, DisplayWidth(row[c]));
    const size_t least = held.numeric[c] ? width : std::min(width, kLeastTextWidth);
    needed += least + (c > 0 ? 2 : 0);
    columns.push_back({names[c], held.numeric[c] ? ColumnKind::kNumber : ColumnKind::kName,
                       TableColumn::kAlways, least});
  }
  if (needed > style.width) {
    WriteRecords(names, held, style, output);
    return outcome;
  }
  Table table(std::move(columns));
  for (auto& row : held.cells) {
    std::vector<TableCell> cells;
    for (std::string& cell : row) cells.emplace_back(std::move(cell));
    table.AddRow(std::move(cells));
  }
  output.Write(table.Render(style, 0));
  return outcome;
}

}  // namespace

QueryOutcome WriteResult(Statement& statement, QueryFormat format, int64_t limit,
                         const OutputStyle& style, Output& output) {
  switch (format) {
    case QueryFormat::kCsv:
      return WriteCsv(statement, limit, output);
    case QueryFormat::kJson:
      return WriteJson(statement, limit, output);
    case QueryFormat::kMarkdown:
      return WriteMarkdown(statement, limit, output);
    case QueryFormat::kTable:
      break;
  }
  return WriteTable(statement, limit, style, output);
}

void WriteColumnNames(const Statement& statement, JsonWriter& json) {
  json.BeginArray();
  for (const std::string& name : statement.columns()) json.String(RepairUtf8(name));
  json.EndArray();
}

void WriteRowValues(const Statement& statement, JsonWriter& json) {
  json.BeginArray();
  for (size_t c = 0; c < statement.columns().size(); ++c) WriteJsonValue(statement.Get(c), json);
  json.EndArray();
}

bool RowFits(const Statement& statement, size_t room) {
  constexpr size_t kBracketsOfRow = 3;
  constexpr size_t kNumber = 32;  // and the comma
  const auto fits = [&](auto bytes_of_text) {
    size_t bytes = kBracketsOfRow;
    for (size_t c = 0; c < statement.columns().size() && bytes <= room; ++c) {
      const ResultValue value = statement.Get(c);
      bytes += kNumber;
      if (value.kind == Kind::kText) bytes += bytes_of_text(value.bytes);
      if (value.kind == Kind::kBlob) bytes += 2 * value.bytes.size();
    }
    return bytes <= room;
  };
  // Most rows fit whatever they are made of; others are looked at.
  return fits([](std::string_view text) { return 6 * text.size(); }) ||
         fits([](std::string_view text) { return JsonTextBytes(text); });
}

void WriteSchemaJson(JsonWriter& json) {
  json.BeginArray();
  for (const SqlTable& table : Tables()) {
    json.BeginObject();
    json.Field("table", table.name);
    json.Field("meaning", table.meaning);
    json.Key("columns");
    json.BeginArray();
    for (const SqlColumn& column : table.columns) {
      json.BeginObject();
      json.Field("name", column.name);
      json.Field("type", NameOf(column.type));
      json.Field("meaning", column.meaning);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void WriteSchema(QueryFormat format, const OutputStyle& style, Output& output) {
  switch (format) {
    case QueryFormat::kCsv: {
      std::string text = "table,column,type,meaning\n";
      for (const SqlTable& table : Tables()) {
        for (const SqlColumn& column : table.columns) {
          text += fmt::format("{},{},{},", table.name, column.name, NameOf(column.type));
          AppendCsv(column.meaning, text);
          text += '\n';
        }
      }
      return output.Write(text);
    }
    case QueryFormat::kJson: {
      JsonWriter json;
      WriteSchemaJson(json);
      return output.Write(json.Take());
    }
    case QueryFormat::kMarkdown:
      for (const SqlTable& table : Tables()) {
        output.Write(fmt::format("### `{}`\n\n{}.\n\n| column | type | meaning |\n|---|---|---|\n",
                                 table.name, table.meaning));
        for (const SqlColumn& column : table.columns) {
          output.Write(fmt::format("| `{}` | {} | {} |\n", column.name, NameOf(column.type),
                                   MarkdownText(column.meaning)));
        }
        output.Write("\n");
      }
      return;
    case QueryFormat::kTable:
      break;
  }
  bool first = true;
  for (const SqlTable& table : Tables()) {
    if (!first) output.Write("\n");
    first = false;
    output.Write(Paint(Ink::kBold, table.name, style) + "  " +
                 Printable(table.meaning, style.unicode) + "\n");
    Table rows({{"", ColumnKind::kText}, {"", ColumnKind::kText}, {"", ColumnKind::kProse}});
    for (const SqlColumn& column : table.columns) {
      rows.AddRow({std::string(column.name),
                   {std::string(NameOf(column.type)), Ink::kDim},
                   Printable(column.meaning, style.unicode)});
    }
    output.Write(rows.Render(style));
  }
}

}  // namespace telltale
