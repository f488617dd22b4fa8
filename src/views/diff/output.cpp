// SPDX-License-Identifier: Apache-2.0
#include "views/diff/output.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "views/answer.h"
#include "views/diff/tables.h"
#include "views/document.h"
#include "views/profile_json.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/markdown.h"
#include "views/render/table_json.h"
#include "views/render/units.h"
#include "views/row_range.h"

namespace telltale {

namespace {

// The steps' table is short and its first row is what all is about.
bool IsWhole(const DiffTable& table) { return table.name == "steps"; }

std::vector<ComparedRow> RowsOf(const DiffTable& table, int64_t limit = 0) {
  std::vector<ComparedRow> rows;
  const size_t count = IsWhole(table) ? table.rows.size() : Limited(table.rows.size(), limit);
  for (size_t i = 0; i < count; ++i) rows.push_back({table.name, &table.rows[i]});
  return rows;
}

// How a sentence calls the part of a step; other rows by their names.
std::string_view WordsForRow(std::string_view row) {
  for (size_t c = 0; c < kStepCategoryCount; ++c) {
    const auto category = static_cast<StepCategory>(c);
    if (row == NameOf(category)) return WordsFor(category);
  }
  return row;
}

std::string_view TitleOf(std::string_view table) {
  if (table == "steps") return "Step";
  if (table == "operators") return "Operators, own CPU time";
  if (table == "operators_device") return "Operators, own device time";
  if (table == "runtime") return "Runtime calls, own CPU time";
  if (table == "kernels") return "Kernels";
  if (table == "modules") return "Modules, own time";
  return "Functions";
}

std::string FormatValue(int64_t value, ValueUnit unit, bool unicode) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return FormatDuration(value, unicode);
    case ValueUnit::kBytes:
      return FormatBytes(value);
    default:
      return FormatCount(value);
  }
}

// What would now save more or less than before, in the direction of the change, and explains a
// fifth of it.
const DiffCause* ReasonOf(const DiffDocument& document, const DiffRow& step) {
  const auto reason = std::ranges::find_if(document.causes, [&](const DiffCause& cause) {
    return cause.change_ns() != 0 && (cause.change_ns() < 0) == (step.change() < 0);
  });
  if (reason == document.causes.end()) return nullptr;
  return std::abs(reason->change_ns()) >= std::abs(step.change()) / 5 ? &*reason : nullptr;
}

// "; 9.00 ms of it because of save: it costs 9.00 ms instead of hardly anything". Where others made
// up for a part of it, it is more than the whole change.
std::string Because(const DiffCause& cause, const DiffRow& step, bool unicode) {
  const auto cost = [&](int64_t ns) {
    return ns == 0 ? std::string("hardly anything") : FormatDuration(ns, unicode);
  };
  const int64_t change_ns = std::abs(cause.change_ns());
  const std::string phrase = Printable(cause.phrase, unicode);
  const std::string time = FormatDuration(change_ns, unicode);
  const std::string said = change_ns <= std::abs(step.change())
                               ? fmt::format("; {} of it because of {}", time, phrase)
                               : fmt::format("; because of {} alone it would be {} {}", phrase,
                                             time, cause.change_ns() < 0 ? "less" : "more");
  return fmt::format("{}: it costs {} instead of {}", said, cost(cause.after_ns),
                     cost(cause.before_ns));
}

// Behind a table's title: what its values are, and how many rows there are.
std::string RemarkOn(const DiffReport& report, size_t shown, size_t rows) {
  std::string remark;
  if (report.basis == DiffBasis::kStep) {
    remark = fmt::format("means of {} and {} steps",
                         FormatCount(static_cast<int64_t>(report.samples_before)),
                         FormatCount(static_cast<int64_t>(report.samples_after)));
  }
  if (shown != 0 && shown < rows) {
    remark += fmt::format("{}{} of {} rows, largest change first", remark.empty() ? "" : ", ",
                          shown, FormatCount(static_cast<int64_t>(rows)));
  }
  return remark;
}

// What people see; `comparison` outlives it.
Document ForPeople(const DiffDocument& comparison) {
  const DiffReport& report = comparison.report;
  Document document("", [&comparison](const OutputStyle& style) {
    return DiffAnswer(comparison, style.unicode);
  });
  for (const DiffTable& table : report.tables) {
    TableSpec<ComparedRow> spec = ComparedTable(report.unit);
    if (IsWhole(table)) spec.Hide({"calls_before", "calls_after"});
    TablePlace place;
    place.title = TitleOf(table.name);
    place.words = [&report](size_t shown, size_t rows, const OutputStyle&) {
      return RemarkOn(report, shown, rows);
    };
    place.usual_rows = 15;
    place.every_row = IsWhole(table);
    document.AddTable(table.name, spec, RowsOf(table), place);
  }
  return document;
}

}  // namespace

std::string DiffAnswer(const DiffDocument& document, bool unicode) {
  const DiffReport& report = document.report;
  const DiffTable& table = report.tables.front();
  const std::string_view what = report.basis == DiffBasis::kStep    ? "A step"
                                : report.basis == DiffBasis::kTrace ? "The trace"
                                                                    : "The program";
  const std::string before = FormatValue(table.before, report.unit, unicode);
  const std::string after = FormatValue(table.after, report.unit, unicode);
  if (table.before == table.after) return fmt::format("{} takes {}, as before.", what, after);
  std::optional<double> change;
  if (table.before > 0) {
    change = static_cast<double>(table.after - table.before) / static_cast<double>(table.before);
  }
  std::string text = fmt::format("{} takes {} instead of {} ({})", what, after, before,
                                 FormatChange(change, "from nothing"));
  if (report.basis == DiffBasis::kProfile) return text + ".";
  const DiffRow& step = table.rows.front();
  switch (step.verdict) {
    case DiffVerdict::kNoise:
      text += fmt::format(", which is noise: {}", step.p_value && *step.p_value >= kDiffLevel
                                                      ? fmt::format("p = {:.2f}", *step.p_value)
                                                      : std::string("less than 1 %"));
      break;
    case DiffVerdict::kNoSpread:
      text += fmt::format("; with one {} a side nobody knows the noise",
                          report.basis == DiffBasis::kStep ? "step" : "trace");
      break;
    default:
      if (step.p_value) text += fmt::format(", p = {:.2g}", *step.p_value);
      break;
  }
  // Which category moved most in the same direction.
  const DiffRow* cause = nullptr;
  for (size_t i = 1; i < table.rows.size(); ++i) {
    const DiffRow& row = table.rows[i];
    if ((row.change() > 0) != (step.change() > 0) || row.change() == 0) continue;
    if (cause == nullptr || std::abs(row.change()) > std::abs(cause->change())) cause = &row;
  }
  if (const DiffCause* const because = ReasonOf(document, step);
      because != nullptr && step.verdict != DiffVerdict::kNoise) {
    text += Because(*because, step, unicode);
  } else if (cause != nullptr && step.verdict != DiffVerdict::kNoise) {
    text +=
        fmt::format("; most of it in {}: {} instead of {}", WordsForRow(cause->name),
                    FormatDuration(cause->after, unicode), FormatDuration(cause->before, unicode));
  }
  return text + ".";
}

std::string DescribeFailure(const DiffGate& gate, const DiffReport& report, bool unicode) {
  const DiffRow& row = *gate.failed;
  return fmt::format("{} '{}' grew by more than {:g} %: {} instead of {} ({})", gate.table,
                     row.name, gate.least * 100, FormatValue(row.after, report.unit, unicode),
                     FormatValue(row.before, report.unit, unicode),
                     FormatChange(row.change_share, "new"));
}

std::string DiffJson(const DiffDocument& document, int64_t limit, bool indented) {
  const DiffReport& report = document.report;
  JsonWriter json(indented);
  json.BeginObject();
  json.Field("telltale", kVersion);
  json.Field("schema", kProfileSchema);
  json.Field("before", document.before);
  json.Field("after", document.after);
  json.Field("basis", NameOf(report.basis));
  json.Field("unit", NameOf(report.unit));
  json.Field("samples_before", report.samples_before);
  json.Field("samples_after", report.samples_after);
  if (!document.causes.empty()) {
    json.Key("causes");
    WriteTableJson(
        RowTable<DiffCause>(DiffCauseTable(), std::span<const DiffCause>(document.causes)), {},
        json);
  }
  json.Key("test");
  json.BeginObject();
  json.Field("name", "welch_t_two_sided");
  json.Field("level", kDiffLevel);
  json.Field("least_effect_share", kDiffLeastEffect);
  json.EndObject();
  json.Key("remarks");
  json.BeginArray();
  for (const std::string& remark : document.remarks) json.String(remark);
  json.EndArray();
  json.Key("gate");
  if (document.gate) {
    json.BeginObject();
    json.Field("table", document.gate->table);
    json.Field("least_share", document.gate->least);
    json.Field("ok", document.gate->failed == nullptr);
    json.Field("failed", document.gate->failed == nullptr
                             ? std::nullopt
                             : std::optional(document.gate->failed->name));
    json.EndObject();
  } else {
    json.Null();
  }
  json.Key("tables");
  json.BeginArray();
  for (const DiffTable& table : report.tables) {
    json.BeginObject();
    json.Field("table", table.name);
    json.Field("measure", table.measure);
    json.Field("rows_total", table.rows.size());
    json.Key("rows");
    WriteTableJson(RowTable<ComparedRow>(ComparedTable(report.unit), RowsOf(table, limit)), {},
                   json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

void WriteDiffCsv(const DiffDocument& document, int64_t limit, Output& output) {
  std::vector<ComparedRow> rows;
  for (const DiffTable& table : document.report.tables) {
    for (const ComparedRow& row : RowsOf(table, limit)) rows.push_back(row);
  }
  WriteTableCsv(RowTable<ComparedRow>(ComparedTable(document.report.unit), std::move(rows)), 0,
                output);
}

std::string DiffMarkdown(const DiffDocument& comparison, std::optional<int64_t> limit) {
  // A pull request wants to know what changed; the rest is for who looks into it.
  constexpr int kLeastImportance = 80;
  const DiffReport& report = comparison.report;
  std::string out = fmt::format("**{}**\n", MarkdownText(DiffAnswer(comparison, true)));
  if (comparison.gate) {
    const DiffGate& gate = *comparison.gate;
    AppendMarkdown(
        out, fmt::format("{}\n", gate.failed == nullptr
                                     ? fmt::format("✅ nothing in {} grew by more than {:g} %",
                                                   gate.table, gate.least * 100)
                                     : "❌ " + MarkdownText(DescribeFailure(gate, report, true))));
  }
  const Document document = ForPeople(comparison);
  for (const Document::Part& part : document.parts())
    AppendMarkdown(out, MarkdownPart(document, part, part.RowsShown(limit), kLeastImportance));
  for (const std::string& remark : comparison.remarks)
    AppendMarkdown(out, MarkdownText(remark) + "\n");
  return out;
}

std::string DiffText(const DiffDocument& comparison, std::optional<int64_t> limit,
                     const OutputStyle& style) {
  std::string out = Paragraph(DiffAnswer(comparison, style.unicode), style);
  if (comparison.gate && comparison.gate->failed != nullptr) {
    out += Paragraph(fmt::format("Gate: {}.", DescribeFailure(*comparison.gate, comparison.report,
                                                              style.unicode)),
                     style);
  }
  const Document document = ForPeople(comparison);
  for (const Document::Part& part : document.parts())
    out += "\n" + TablePart(document, part, part.RowsShown(limit), style);
  for (const std::string& remark : comparison.remarks)
    out += "\n" + Paragraph(remark, style, 0, Ink::kDim);
  return out;
}

}  // namespace telltale
