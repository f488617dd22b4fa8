// SPDX-License-Identifier: Apache-2.0
// A comparison for people: the answer, then one table per kind of row, largest change first.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "views/diff/output.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"
#include "views/sorting.h"

namespace telltale {

namespace {

using enum ColumnKind;

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
  const auto percent = static_cast<int64_t>(std::llround(share * 100));
  return fmt::format("{} %", percent);
}

std::string TableText(const DiffTable& table, ValueUnit unit, size_t limit,
                      const OutputStyle& style) {
  const std::vector<DiffRow>& rows = table.rows;
  const size_t count = table.name == "steps" ? rows.size() : CountShown(rows.size(), limit);
  const auto unit_of = [&](const std::vector<int64_t>& values) {
    return unit == ValueUnit::kNanoseconds ? DurationUnit(values, style.unicode)
           : unit == ValueUnit::kBytes     ? ByteUnit(values)
                                           : ColumnUnit{NameOf(unit), 1, 0};
  };
  // Before and after are read side by side: one unit for both.
  std::vector<int64_t> values;
  std::vector<int64_t> changes;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(rows[i].before);
    values.push_back(rows[i].after);
    changes.push_back(std::abs(rows[i].change()));
  }
  const UnitColumn before("before", unit_of(values), style);
  const UnitColumn after("after", unit_of(values), style);
  const UnitColumn change("change", unit_of(changes), style);
  const bool calls = table.name != "steps";
  std::vector<TableColumn> columns = {{"", kName, TableColumn::kAlways, 24},
                                      {before.Header(), kNumber, 85},
                                      {after.Header(), kNumber},
                                      {change.Header(), kNumber, 80},
                                      {"", kNumber, 95},
                                      {"of the change", kNumber, 40}};
  if (calls) {
    columns.push_back({"calls", kNumber, 50});
    columns.push_back({"now", kNumber, 50});
  }
  columns.push_back({"p", kNumber, 30});
  columns.push_back({"", kText, 90});
  Table out(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const DiffRow& row = rows[i];
    const std::string_view sign = row.change() > 0 ? "+" : row.change() < 0 ? "-" : "";
    std::vector<TableCell> cells = {
        Printable(row.name, style.unicode),
        before.Cell(row.before),
        after.Cell(row.after),
        std::string(sign) + change.Cell(std::abs(row.change())),
        FormatChange(row.change_share, Missing(style)),
        row.share_of_change ? FormatPart(*row.share_of_change) : Missing(style)};
    if (calls) {
      cells.emplace_back(FormatCalls(row.calls_before));
      cells.emplace_back(FormatCalls(row.calls_after));
    }
    cells.emplace_back(row.p_value ? fmt::format("{:.2g}", *row.p_value) : Missing(style));
    cells.emplace_back(row.renamed_from ? fmt::format("{}, renamed", WordFor(row.verdict))
                                        : std::string(WordFor(row.verdict)),
                       InkOf(row.verdict));
    out.AddRow(std::move(cells));
  }
  return out.Render(style);
}

}  // namespace

std::string DiffText(const DiffDocument& document, int64_t limit, const OutputStyle& style) {
  const DiffReport& report = document.report;
  std::string out;
  const auto paragraph = [&](std::string_view text) {
    for (const std::string& line : Wrap(text, style.width)) out += line + "\n";
  };
  paragraph(DiffAnswer(document, style.unicode));
  if (document.gate && document.gate->failed != nullptr) {
    paragraph("Gate: " + DescribeFailure(*document.gate, report, style.unicode) + ".");
  }
  for (const DiffTable& table : report.tables) {
    std::string remark;
    if (report.basis == DiffBasis::kStep) {
      remark = fmt::format("means of {} and {} steps",
                           FormatCount(static_cast<int64_t>(report.samples_before)),
                           FormatCount(static_cast<int64_t>(report.samples_after)));
    }
    const size_t rows = limit <= 0 ? 0 : static_cast<size_t>(limit);
    if (table.name != "steps" && rows != 0 && rows < table.rows.size()) {
      remark += fmt::format("{}{} of {} rows, largest change first", remark.empty() ? "" : ", ",
                            rows, FormatCount(static_cast<int64_t>(table.rows.size())));
    }
    out += "\n" + Heading(TitleOf(table.name), remark, style);
    out += TableText(table, report.unit, rows, style);
  }
  for (const std::string& remark : document.remarks) {
    out += "\n";
    for (const std::string& line : Wrap(remark, style.width)) {
      out += Paint(Ink::kDim, line, style) + "\n";
    }
  }
  return out;
}

}  // namespace telltale
