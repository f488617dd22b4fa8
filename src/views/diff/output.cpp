// SPDX-License-Identifier: Apache-2.0
#include "views/diff/output.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "views/answer.h"
#include "views/fields.h"
#include "views/profile_json.h"
#include "views/render/display.h"
#include "views/render/units.h"
#include "views/rows.h"
#include "views/sorting.h"

namespace telltale {

namespace {

// Fields of a row, but the names of the values, which carry the unit.
struct NamedRow {
  std::string_view table;
  const DiffRow* row;
};

const RowFields<NamedRow>& FieldsIn(ValueUnit unit) {
  static const auto with = [](std::string_view before, std::string_view after,
                              std::string_view change) {
    return RowFields<NamedRow>{
        {"table", [](const NamedRow& r) { return FieldValue(r.table); }},
        {"name", [](const NamedRow& r) { return FieldValue(std::string_view(r.row->name)); }},
        {"renamed_from",
         [](const NamedRow& r) {
           return r.row->renamed_from ? FieldValue(std::string_view(*r.row->renamed_from))
                                      : FieldValue();
         }},
        {before, [](const NamedRow& r) { return FieldValue(r.row->before); }},
        {after, [](const NamedRow& r) { return FieldValue(r.row->after); }},
        {change, [](const NamedRow& r) { return FieldValue(r.row->change()); }},
        {"change_share",
         [](const NamedRow& r) {
           return r.row->change_share ? FieldValue(*r.row->change_share) : FieldValue();
         }},
        {"total_change_share",
         [](const NamedRow& r) {
           return r.row->share_of_change ? FieldValue(*r.row->share_of_change) : FieldValue();
         }},
        {"calls_before", [](const NamedRow& r) { return FieldValue(r.row->calls_before); }},
        {"calls_after", [](const NamedRow& r) { return FieldValue(r.row->calls_after); }},
        {"verdict", [](const NamedRow& r) { return FieldValue(NameOf(r.row->verdict)); }},
        {"p_value",
         [](const NamedRow& r) {
           return r.row->p_value ? FieldValue(*r.row->p_value) : FieldValue();
         }},
    };
  };
  static const RowFields<NamedRow> times = with("before_ns", "after_ns", "change_ns");
  static const RowFields<NamedRow> sizes = with("before_bytes", "after_bytes", "change_bytes");
  static const RowFields<NamedRow> counts = with("before", "after", "change");
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return times;
    case ValueUnit::kBytes:
      return sizes;
    default:
      return counts;
  }
}

std::vector<NamedRow> RowsOf(const DiffTable& table, int64_t limit) {
  std::vector<NamedRow> rows;
  // The steps' table is short and its first row is what all is about.
  const size_t count =
      table.name == "steps" ? table.rows.size() : Limited(table.rows.size(), limit);
  for (size_t i = 0; i < count; ++i) rows.push_back({table.name, &table.rows[i]});
  return rows;
}

// In a cell of a Markdown table: one line, no bars, no markup.
std::string MarkdownCell(std::string_view text) {
  std::string out = "`";
  for (const char c : text) {
    if (c == '|') {
      out += "\\|";
    } else if (c == '`') {
      out += '\'';
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out + "`";
}

// How a sentence calls the part of a step; other rows by their names.
std::string_view WordsForRow(std::string_view row) {
  for (size_t c = 0; c < kStepCategoryCount; ++c) {
    const auto category = static_cast<StepCategory>(c);
    if (row == NameOf(category)) return WordsFor(category);
  }
  return row;
}

}  // namespace

std::string_view TitleOf(std::string_view table) {
  if (table == "steps") return "Step";
  if (table == "operators") return "Operators, own CPU time";
  if (table == "operators_device") return "Operators, own device time";
  if (table == "runtime") return "Runtime calls, own CPU time";
  if (table == "kernels") return "Kernels";
  if (table == "modules") return "Modules, own time";
  return "Functions";
}

std::string_view WordFor(DiffVerdict verdict) {
  return verdict == DiffVerdict::kNoSpread ? "no spread" : NameOf(verdict);
}

std::string FormatChange(const std::optional<double>& share, std::string_view missing) {
  if (!share) return std::string(missing);
  const double percent = *share * 100;
  if (std::fabs(percent) >= 1000) return fmt::format("{:+.0f} %", percent);
  return fmt::format("{:+.1f} %", percent);
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
  // What would now save more or less than before and explains a fifth of the change.
  const DiffCause* because = document.causes.empty() ? nullptr : &document.causes.front();
  if (because != nullptr && (because->change_ns() < 0) == (step.after < step.before) &&
      std::abs(because->change_ns()) >= std::abs(step.after - step.before) / 5 &&
      step.verdict != DiffVerdict::kNoise) {
    text += fmt::format(
        "; {} of it because of {}: it costs {} instead of {}",
        FormatDuration(std::abs(because->change_ns()), unicode),
        Printable(because->phrase, unicode),
        because->after_ns == 0 ? "hardly anything" : FormatDuration(because->after_ns, unicode),
        because->before_ns == 0 ? "hardly anything" : FormatDuration(because->before_ns, unicode));
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
    json.BeginArray();
    for (const DiffCause& row : document.causes) {
      json.BeginObject();
      json.Field("rule", row.rule);
      json.Field("what", row.what);
      json.Field("before_ns", row.before_ns);
      json.Field("after_ns", row.after_ns);
      json.EndObject();
    }
    json.EndArray();
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
    WriteJsonRows("rows", RowsOf(table, limit), FieldsIn(report.unit), 0, json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

void WriteDiffCsv(const DiffDocument& document, int64_t limit, Output& output) {
  std::vector<NamedRow> rows;
  for (const DiffTable& table : document.report.tables) {
    for (const NamedRow& row : RowsOf(table, limit)) rows.push_back(row);
  }
  WriteCsvRows(rows, FieldsIn(document.report.unit), 0, output);
}

std::string DiffMarkdown(const DiffDocument& document, int64_t limit) {
  const DiffReport& report = document.report;
  std::string out = fmt::format("**{}**\n", DiffAnswer(document, true));
  if (document.gate) {
    out += fmt::format("\n{}\n", document.gate->failed == nullptr
                                     ? fmt::format("✅ nothing in {} grew by more than {:g} %",
                                                   document.gate->table, document.gate->least * 100)
                                     : "❌ " + DescribeFailure(*document.gate, report, true));
  }
  for (const DiffTable& table : report.tables) {
    out +=
        fmt::format("\n#### {}\n\n| | before | after | change | | |\n|---|--:|--:|--:|--:|---|\n",
                    TitleOf(table.name));
    for (const NamedRow& named : RowsOf(table, limit)) {
      const DiffRow& row = *named.row;
      std::string verdict(WordFor(row.verdict));
      if (row.renamed_from) verdict += ", was " + MarkdownCell(*row.renamed_from);
      out += fmt::format("| {} | {} | {} | {}{} | {} | {} |\n", MarkdownCell(row.name),
                         FormatValue(row.before, report.unit, true),
                         FormatValue(row.after, report.unit, true), row.change() > 0 ? "+" : "",
                         row.change() < 0 ? "−" + FormatValue(-row.change(), report.unit, true)
                                          : FormatValue(row.change(), report.unit, true),
                         FormatChange(row.change_share, ""), verdict);
    }
    if (const size_t shown = RowsOf(table, limit).size(); shown < table.rows.size()) {
      out += fmt::format("\n… and {} more\n",
                         FormatCount(static_cast<int64_t>(table.rows.size() - shown)));
    }
  }
  for (const std::string& remark : document.remarks) out += "\n" + remark + "\n";
  return out;
}

}  // namespace telltale
