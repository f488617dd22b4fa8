// SPDX-License-Identifier: Apache-2.0
#include "views/query/output.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "views/field_value.h"
#include "views/render/display.h"
#include "views/render/markdown.h"
#include "views/render/table.h"
#include "views/render/table_json.h"
#include "views/render/table_text.h"
#include "views/table_data.h"

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

// The value for programs. Its text belongs to the row, and is bytes as they are.
FieldValue ValueOf(const ResultValue& value) {
  switch (value.kind) {
    case Kind::kNull:
      return {};
    case Kind::kInteger:
      return value.integer;
    case Kind::kReal:
      return value.real;
    case Kind::kText:
      return value.bytes;
    case Kind::kBlob:
      return Hexadecimal(value.bytes);
  }
  return {};
}

void WriteJsonValue(const ResultValue& value, JsonWriter& json) {
  if (value.kind == Kind::kText) return json.String(RepairUtf8(value.bytes));
  WriteJson(ValueOf(value), json);
}

// For people: six digits of a fraction are enough, but never fewer than the whole part has.
std::string ShortReal(double value) {
  const double size = std::fabs(value);
  return size >= 1e6 && size < 1e15 ? fmt::format("{:.1f}", value) : fmt::format("{:.6g}", value);
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
      AppendCsv(ValueOf(statement.Get(c)), line);
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

// The rows of a result, held for a layout that must know them all. A column is of numbers where it
// holds only numbers and NULLs, and a number at least.
class ResultTable final : public TableData {
 public:
  explicit ResultTable(const Statement& statement) : names_(statement.columns()) {
    for (const std::string& name : names_) {
      ColumnFacts& column = columns_.emplace_back();
      column.key = name;
      column.quantity = Quantity::kNumber;
      column.shown.title = name;
      column.shown.importance = Shown::kAlways;
    }
    any_number_.resize(names_.size());
  }

  void AddRow(const Statement& statement) {
    std::vector<FieldValue>& row = rows_.emplace_back();
    for (size_t c = 0; c < columns(); ++c) {
      const ResultValue value = statement.Get(c);
      const bool number = value.kind == Kind::kInteger || value.kind == Kind::kReal;
      if (number) any_number_[c] = true;
      if (!number && value.kind != Kind::kNull) columns_[c].quantity = Quantity::kProse;
      FieldValue held = ValueOf(value);
      if (value.kind == Kind::kText) held = std::string(value.bytes);
      row.push_back(std::move(held));
    }
  }
  // After the last row: columns of text are `text`, and at least that wide.
  void Finish(Quantity text, size_t least_width) {
    for (size_t c = 0; c < columns(); ++c) {
      if (columns_[c].quantity == Quantity::kProse || !any_number_[c]) columns_[c].quantity = text;
      columns_[c].shown.least_width = least_width;
    }
  }
  [[nodiscard]] bool IsNumber(size_t column) const {
    return columns_[column].quantity == Quantity::kNumber;
  }
  [[nodiscard]] std::string Cell(size_t row, size_t column, bool unicode) const {
    return std::visit(
        [&](const auto& value) -> std::string {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, int64_t>) return std::to_string(value);
          if constexpr (std::is_same_v<T, double>) return ShortReal(value);
          if constexpr (std::is_same_v<T, std::string>) return Printable(value, unicode);
          return {};
        },
        rows_[row][column]);
  }

  [[nodiscard]] size_t rows() const override { return rows_.size(); }
  [[nodiscard]] size_t columns() const override { return columns_.size(); }
  [[nodiscard]] const ColumnFacts& column(size_t column) const override { return columns_[column]; }
  [[nodiscard]] std::vector<size_t> OrderForPeople() const override {
    std::vector<size_t> order(columns());
    std::iota(order.begin(), order.end(), size_t{0});
    return order;
  }
  [[nodiscard]] FieldValue Value(size_t row, size_t column) const override {
    return rows_[row][column];
  }
  [[nodiscard]] bool HasValue(size_t /*column*/) const override { return true; }
  [[nodiscard]] bool Json(size_t, size_t, int64_t, JsonWriter&) const override { return false; }
  // NULL is nothing, and a number has as many digits as it needs.
  [[nodiscard]] bool Text(size_t row, size_t column, const CellStyle& style,
                          std::string& out) const override {
    out = Cell(row, column, style.unicode);
    return true;
  }
  [[nodiscard]] Ink InkOf(size_t, size_t) const override { return Ink::kPlain; }

 private:
  std::vector<std::string> names_;
  std::vector<ColumnFacts> columns_;
  std::vector<bool> any_number_;
  std::vector<std::vector<FieldValue>> rows_;
};

QueryOutcome WriteMarkdown(Statement& statement, int64_t limit, Output& output) {
  ResultTable table(statement);
  const QueryOutcome outcome =
      ForEachRow(statement, limit, output, [&] { table.AddRow(statement); });
  table.Finish(Quantity::kText, 0);
  output.Write(MarkdownTable(TableForPeople(table, {}, {})));
  return outcome;
}

// Below this a shortened text says nothing.
constexpr size_t kLeastTextWidth = 10;

// Too many columns for the width: one column a line, row after row.
void WriteRecords(const ResultTable& table, const OutputStyle& style, Output& output) {
  size_t name_width = 0;
  std::vector<std::string> names;
  for (size_t c = 0; c < table.columns(); ++c) {
    names.push_back(Printable(table.column(c).key, style.unicode));
    name_width = std::max(name_width, DisplayWidth(names[c]));
  }
  name_width = std::min(name_width, style.width / 2);
  const size_t room = style.width > name_width + 4 ? style.width - name_width - 4 : 1;
  for (size_t r = 0; r < table.rows(); ++r) {
    output.Write(Paint(Ink::kDim, fmt::format("row {}", r + 1), style) + "\n");
    for (size_t c = 0; c < names.size(); ++c) {
      std::string line = "  " +
                         PadRight(ShortenMiddle(names[c], name_width, style.unicode), name_width) +
                         "  " + ShortenMiddle(table.Cell(r, c, style.unicode), room, style.unicode);
      while (line.ends_with(' ')) line.pop_back();
      output.Write(line + "\n");
    }
  }
}

// What the columns take at least.
size_t LeastWidth(const Table& table) {
  size_t needed = 0;
  for (size_t c = 0; c < table.columns().size(); ++c) {
    size_t width = DisplayWidth(table.columns()[c].header);
    for (const auto& row : table.rows()) width = std::max(width, DisplayWidth(row[c].text));
    const bool number = table.columns()[c].kind == ColumnKind::kNumber;
    needed += (number ? width : std::min(width, kLeastTextWidth)) + (c > 0 ? 2 : 0);
  }
  return needed;
}

QueryOutcome WriteTable(Statement& statement, int64_t limit, const OutputStyle& style,
                        Output& output) {
  ResultTable result(statement);
  const QueryOutcome outcome =
      ForEachRow(statement, limit, output, [&] { result.AddRow(statement); });
  if (result.rows() == 0) {
    if (!outcome.error) output.Write("no rows\n");
    return outcome;
  }
  result.Finish(Quantity::kName, kLeastTextWidth);
  const Table table = TableForPeople(result, {}, style);
  if (LeastWidth(table) > style.width) {
    WriteRecords(result, style, output);
  } else {
    output.Write(table.Render(style, 0));
  }
  return outcome;
}

TableSpec<SqlColumn> ColumnTable() {
  using R = SqlColumn;
  TableSpec<R> spec;
  spec.columns = {
      Field("name", Quantity::kName, Get<&R::name>,
            {.title = "column", .importance = Shown::kAlways, .least_width = 40}),
      Field("type", Quantity::kText, Get<&R::type>,
            {.title = "type", .importance = Shown::kAlways, .ink = Ink::kDim}),
      Field("meaning", Quantity::kProse, Get<&R::meaning>,
            {.title = "meaning", .importance = Shown::kAlways}),
  };
  return spec;
}

RowTable<SqlColumn> ColumnsOf(const SqlTable& table) {
  return {ColumnTable(), std::span<const SqlColumn>(table.columns)};
}

}  // namespace

QueryOutcome WriteResult(Statement& statement, OutputFormat format, int64_t limit,
                         const OutputStyle& style, Output& output) {
  switch (format) {
    case OutputFormat::kCsv:
      return WriteCsv(statement, limit, output);
    case OutputFormat::kJson:
      return WriteJson(statement, limit, output);
    case OutputFormat::kMarkdown:
      return WriteMarkdown(statement, limit, output);
    case OutputFormat::kText:
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
    WriteTableJson(ColumnsOf(table), {}, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteSchema(OutputFormat format, const OutputStyle& style, Output& output) {
  switch (format) {
    case OutputFormat::kCsv: {
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
    case OutputFormat::kJson: {
      JsonWriter json;
      WriteSchemaJson(json);
      return output.Write(json.Take());
    }
    case OutputFormat::kMarkdown:
      for (const SqlTable& table : Tables()) {
        output.Write(fmt::format("### `{}`\n\n{}.\n\n", table.name, table.meaning) +
                     MarkdownTable(TableForPeople(ColumnsOf(table), {}, {})) + "\n");
      }
      return;
    case OutputFormat::kText:
      break;
  }
  bool first = true;
  for (const SqlTable& table : Tables()) {
    if (!first) output.Write("\n");
    first = false;
    output.Write(Paint(Ink::kBold, table.name, style) + "  " +
                 Printable(table.meaning, style.unicode) + "\n");
    output.Write(TableText(ColumnsOf(table), {.titles = false}, style));
  }
}

}  // namespace telltale
