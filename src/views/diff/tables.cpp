// SPDX-License-Identifier: Apache-2.0
#include "views/diff/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/render/unit_column.h"

namespace telltale {

namespace {

using enum Quantity;
using R = ComparedRow;

template <auto kMember>
auto Of(const R& row) {
  return Get<kMember>(*row.row);
}

// What the values of a table are called, and what they are.
struct ValueWords {
  std::string_view before;
  std::string_view after;
  std::string_view change;
  Quantity quantity;
  std::string_view unit;  // in the titles, where the quantity has none
};

ValueWords WordsOf(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return {"before_ns", "after_ns", "change_ns", kDuration, ""};
    case ValueUnit::kBytes:
      return {"before_bytes", "after_bytes", "change_bytes", kBytes, ""};
    default:
      return {"before", "after", "change", kNumber, NameOf(unit)};
  }
}

Ink InkOf(DiffVerdict verdict) {
  switch (verdict) {
    case DiffVerdict::kSlower:
    case DiffVerdict::kNew:
      return Ink::kBad;
    case DiffVerdict::kFaster:
    case DiffVerdict::kGone:
      return Ink::kNote;
    default:
      return Ink::kDim;
  }
}

std::string FormatCalls(double calls) {
  return calls == static_cast<double>(static_cast<int64_t>(calls))
             ? FormatCount(static_cast<int64_t>(calls))
             : fmt::format("{:.1f}", calls);
}

// Whole percents, of either sign; no "-0 %".
std::string FormatPart(double share) {
  return fmt::format("{} %", static_cast<int64_t>(std::llround(share * 100)));
}

std::string ChangeText(const R& row, const CellStyle& style) {
  const int64_t change = row.row->change();
  const int64_t size = std::abs(change);
  return fmt::format("{}{}",
                     change > 0   ? "+"
                     : change < 0 ? "-"
                                  : "",
                     style.alone != nullptr ? style.InUnit(size) : FormatIn(style.unit, size));
}

std::string VerdictText(const R& row, const CellStyle& style) {
  const DiffVerdict verdict = row.row->verdict;
  std::string text(verdict == DiffVerdict::kNoSpread ? "no spread" : NameOf(verdict));
  if (!row.row->renamed_from) return text;
  // A cell of Markdown has room for the name.
  return style.alone == nullptr
             ? text + ", renamed"
             : fmt::format("{}, was {}", text, Printable(*row.row->renamed_from, style.unicode));
}

}  // namespace

std::string FormatChange(const std::optional<double>& share, std::string_view missing) {
  if (!share) return std::string(missing);
  const double percent = *share * 100;
  if (std::fabs(percent) >= 1000) return fmt::format("{:+.0f} %", percent);
  return fmt::format("{:+.1f} %", percent);
}

TableSpec<ComparedRow> ComparedTable(ValueUnit unit) {
  constexpr int kAlways = Shown::kAlways;
  const ValueWords words = WordsOf(unit);
  // Before and after are read side by side: one unit for both.
  const auto shown = [&](std::string_view title, int importance, std::string_view unit_of) {
    return Shown{.title = fmt::format("{}{}{}", title, words.unit.empty() ? "" : " ", words.unit),
                 .importance = importance,
                 .unit_of = unit_of,
                 .decimals = 0};
  };
  TableSpec<R> spec;
  spec.columns = {
      Field("table", kText, Get<&R::table>),
      Field("name", kName, Of<&DiffRow::name>, {.importance = kAlways, .least_width = 24}),
      Field("renamed_from", kName, Of<&DiffRow::renamed_from>),
      Field(words.before, words.quantity, Of<&DiffRow::before>, shown("before", 85, "larger")),
      Field(words.after, words.quantity, Of<&DiffRow::after>, shown("after", kAlways, "larger")),
      Field<R>(
          words.change, words.quantity,
          [](const R& row) -> FieldValue { return row.row->change(); }, shown("change", 80, ""))
          .WithText(ChangeText)
          .Known(),
      Field("change_share", kShare, Of<&DiffRow::change_share>, {.importance = 95})
          .WithText([](const R& row, const CellStyle& style) {
            return FormatChange(row.row->change_share, Missing(style));
          })
          .WithHelp("of the value before"),
      Field("total_change_share", kShare, Of<&DiffRow::share_of_change>,
            {.title = "of the change", .importance = 40})
          .WithText([](const R& row, const CellStyle& style) {
            const std::optional<double>& share = row.row->share_of_change;
            return share ? FormatPart(*share) : Missing(style);
          })
          .WithHelp("of the table's change"),
      Field("calls_before", kNumber, Of<&DiffRow::calls_before>,
            {.title = "calls", .importance = 50})
          .WithText(
              [](const R& row, const CellStyle&) { return FormatCalls(row.row->calls_before); }),
      Field("calls_after", kNumber, Of<&DiffRow::calls_after>, {.title = "now", .importance = 50})
          .WithText(
              [](const R& row, const CellStyle&) { return FormatCalls(row.row->calls_after); }),
      Field("verdict", kText, Of<&DiffRow::verdict>, {.importance = 90})
          .WithText(VerdictText)
          .WithInk([](const R& row) { return InkOf(row.row->verdict); }),
      Field("p_value", kNumber, Of<&DiffRow::p_value>, {.title = "p", .importance = 30})
          .WithText([](const R& row, const CellStyle& style) {
            const std::optional<double>& p = row.row->p_value;
            return p ? fmt::format("{:.2g}", *p) : Missing(style);
          })
          .WithHelp("of Welch's test"),
      Field<R>("larger", words.quantity,
               [](const R& row) -> FieldValue { return std::max(row.row->before, row.row->after); })
          .ForPeople(),
  };
  spec.order = {"name",         words.before,   words.after,
                words.change,   "change_share", "total_change_share",
                "calls_before", "calls_after",  "p_value",
                "verdict"};
  return spec;
}

TableSpec<DiffCause> DiffCauseTable() {
  TableSpec<DiffCause> spec;
  spec.columns = {
      Field("rule", kText, Get<&DiffCause::rule>),
      Field("what", kName, Get<&DiffCause::what>),
      Field("before_ns", kDuration, Get<&DiffCause::before_ns>),
      Field("after_ns", kDuration, Get<&DiffCause::after_ns>),
  };
  return spec;
}

}  // namespace telltale
