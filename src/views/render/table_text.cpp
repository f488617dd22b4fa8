// SPDX-License-Identifier: Apache-2.0
#include "views/render/table_text.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/render/unit_column.h"
#include "views/render/units.h"

namespace telltale {

namespace {

bool IsMissing(const FieldValue& value) { return std::holds_alternative<std::monostate>(value); }

std::optional<int64_t> IntegerOf(const FieldValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<uint64_t>(&value)) return static_cast<int64_t>(*number);
  return std::nullopt;
}

std::optional<double> NumberOf(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const std::optional<int64_t> number = IntegerOf(value)) return static_cast<double>(*number);
  return std::nullopt;
}

std::string TextOf(const FieldValue& value, const OutputStyle& style) {
  return std::visit(
      [&](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return Missing(style);
        } else if constexpr (std::is_same_v<T, bool>) {
          return v ? "yes" : "";
        } else if constexpr (std::is_arithmetic_v<T>) {
          return fmt::format("{}", v);
        } else if constexpr (std::is_same_v<T, JsonText>) {
          return Printable(v.text, style.unicode);
        } else {
          return Printable(v, style.unicode);
        }
      },
      value);
}

ColumnKind KindOf(Quantity quantity) {
  switch (quantity) {
    case Quantity::kText:
    case Quantity::kFlag:
      return ColumnKind::kText;
    case Quantity::kJson:
    case Quantity::kName:
    case Quantity::kFile:
      return ColumnKind::kName;
    case Quantity::kProse:
      return ColumnKind::kProse;
    case Quantity::kBar:
      return ColumnKind::kBar;
    default:
      return ColumnKind::kNumber;
  }
}

// One column on its way to the table.
class TextColumn {
 public:
  TextColumn(const TableData& table, size_t number, const TableTextRequest& request,
             const OutputStyle& style)
      : table_(table),
        number_(number),
        facts_(table.column(number)),
        request_(request),
        style_(style),
        count_(CountShown(table.rows(), request.limit)) {}

  [[nodiscard]] bool IsThere() const {
    if (facts_.shown.importance < request_.least_importance || !facts_.shown.terminal) return false;
    switch (facts_.shown.presence) {
      case Presence::kAlways:
        return true;
      case Presence::kSeveralFiles:
        return request_.labels.size() > 1;
      case Presence::kAnyValue:
      case Presence::kAnyKnown:
        for (size_t i = 0; i < count_; ++i) {
          const FieldValue value = table_.Value(i, number_);
          const auto* flag =
              facts_.shown.presence == Presence::kAnyValue ? std::get_if<bool>(&value) : nullptr;
          if (flag != nullptr ? *flag : !IsMissing(value)) return true;
        }
        return false;
      case Presence::kAnyNonZero:
        for (size_t i = 0; i < table_.rows(); ++i) {
          if (NumberOf(table_.Value(i, number_)).value_or(0) != 0) return true;
        }
        return false;
    }
    return true;
  }

  // Before Cell: finds the unit.
  [[nodiscard]] TableColumn Header() {
    const Shown& shown = facts_.shown;
    TableColumn column{
        shown.with_title && request_.titles ? Printable(shown.title, style_.unicode) : "",
        KindOf(facts_.quantity), shown.importance, shown.least_width};
    const size_t unit_of = shown.unit_of.empty() ? number_ : table_.Find(shown.unit_of);
    switch (facts_.quantity) {
      case Quantity::kDuration:
        unit_ = DurationUnit(ValuesOf(unit_of, count_), style_.unicode);
        break;
      case Quantity::kBytes:
        unit_ = ByteUnit(ValuesOf(unit_of, count_));
        break;
      case Quantity::kFlops:
        unit_ = FlopUnit(ValuesOf(unit_of, count_));
        break;
      case Quantity::kPart:
        if (!shown.whole) {
          for (const int64_t value : ValuesOf(table_.Find(shown.of), table_.rows()))
            whole_ += value;
        }
        whole_ = shown.whole.value_or(whole_);
        break;
      case Quantity::kBar:
        if (!shown.of.empty()) {
          for (const int64_t value : ValuesOf(table_.Find(shown.of), count_))
            whole_ = std::max(whole_, value);
        }
        break;
      default:
        break;
    }
    if (request_.units_in_cells) {
      // Where a title is left out for want of room, or is the unit.
      if (column.header.empty())
        column.header =
            Printable(shown.title.empty() ? facts_.page_title : shown.title, style_.unicode);
    } else if (unit_ && !shown.per.empty()) {
      column.header = fmt::format("{}/{}", unit_->name, shown.per);
    } else if (unit_ && shown.with_unit) {
      column.header = column.header.empty() ? std::string(unit_->name)
                                            : fmt::format("{} {}", column.header, unit_->name);
    }
    return column;
  }

  [[nodiscard]] TableCell Cell(size_t row) const {
    const Ink ink = table_.InkOf(row, number_);
    std::string text;
    const CellStyle style = {
        {style_}, unit_.value_or(ColumnUnit()), request_.units_in_cells ? Alone() : nullptr};
    if (table_.Text(row, number_, style, text)) return {std::move(text), ink};
    if (facts_.quantity == Quantity::kBar) return TableCell::Bar(Share(row), ink);
    return {Format(row), ink};
  }

 private:
  [[nodiscard]] std::vector<int64_t> ValuesOf(size_t column, size_t rows) const {
    std::vector<int64_t> values;
    for (size_t i = 0; i < rows; ++i) {
      if (const std::optional<int64_t> value = IntegerOf(table_.Value(i, column)))
        values.push_back(*value);
    }
    return values;
  }

  // How a number of this quantity is written with a unit of its own; nullptr: it has none.
  [[nodiscard]] AloneFormat Alone() const {
    switch (facts_.quantity) {
      case Quantity::kDuration:
        return FormatDuration;
      case Quantity::kBytes:
        return [](int64_t value, bool) { return FormatBytes(value); };
      case Quantity::kFlops:
        return [](int64_t value, bool) { return FormatFlops(value); };
      default:
        return nullptr;
    }
  }

  [[nodiscard]] double Share(size_t row) const {
    if (facts_.shown.of.empty()) return NumberOf(table_.Value(row, number_)).value_or(0);
    const FieldValue value = table_.Value(row, table_.Find(facts_.shown.of));
    return Ratio(IntegerOf(value).value_or(0), whole_);
  }

  [[nodiscard]] std::string Format(size_t row) const {
    if (facts_.quantity == Quantity::kPart) return FormatShare(Share(row), facts_.shown.decimals);
    const FieldValue value = table_.Value(row, number_);
    if (IsMissing(value)) return Missing(style_);
    switch (facts_.quantity) {
      case Quantity::kDuration:
      case Quantity::kBytes:
      case Quantity::kFlops:
        if (request_.units_in_cells) return Alone()(IntegerOf(value).value_or(0), style_.unicode);
        return FormatIn(*unit_, IntegerOf(value).value_or(0));
      case Quantity::kShare:
        return FormatShare(NumberOf(value).value_or(0), facts_.shown.decimals);
      case Quantity::kNumber:
      case Quantity::kRate:
        return fmt::format("{:.{}f}", NumberOf(value).value_or(0), facts_.shown.decimals);
      case Quantity::kCount:
        return FormatCount(IntegerOf(value).value_or(0));
      case Quantity::kFile: {
        const auto file = static_cast<size_t>(IntegerOf(value).value_or(0));
        return file < request_.labels.size() ? Printable(request_.labels[file], style_.unicode)
                                             : std::string();
      }
      default:
        return TextOf(value, style_);
    }
  }

  const TableData& table_;
  size_t number_;
  const ColumnFacts& facts_;
  const TableTextRequest& request_;
  const OutputStyle& style_;
  size_t count_;
  std::optional<ColumnUnit> unit_;
  int64_t whole_ = 0;  // what parts and bars are compared with
};

}  // namespace

Table TableForPeople(const TableData& table, const TableTextRequest& request,
                     const OutputStyle& style) {
  std::vector<TextColumn> columns;
  std::vector<TableColumn> headers;
  for (const size_t number : table.OrderForPeople()) {
    TextColumn column(table, number, request, style);
    if (!column.IsThere()) continue;
    headers.push_back(column.Header());
    columns.push_back(column);
  }
  Table text(std::move(headers));
  const size_t count = CountShown(table.rows(), request.limit);
  for (size_t row = 0; row < count; ++row) {
    std::vector<TableCell> cells;
    cells.reserve(columns.size());
    for (const TextColumn& column : columns) cells.push_back(column.Cell(row));
    text.AddRow(std::move(cells));
  }
  return text;
}

std::string TableText(const TableData& table, const TableTextRequest& request,
                      const OutputStyle& style) {
  return TableForPeople(table, request, style).Render(style, request.indent);
}

}  // namespace telltale
