// SPDX-License-Identifier: Apache-2.0
#include "views/functions/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/functions/tree.h"
#include "analysis/functions/waits.h"
#include "views/answer.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"
#include "views/render/units.h"

namespace telltale {

namespace {

using enum ColumnKind;

constexpr size_t kRows = 30;
// Functions the answer names, and the share from which one is worth it.
constexpr size_t kNamed = 3;
constexpr double kWorthNaming = 0.05;
// With callers or callees: functions, and how many of each one's.
constexpr size_t kRelatedRows = 10;
constexpr size_t kRelated = 8;
// The tree: what suits a screen or two.
constexpr int64_t kTreeDepth = 8;
constexpr size_t kTreeRows = 60;
constexpr size_t kMostTreeRows = 10000;
constexpr double kTreeShare = 0.001;
constexpr uint32_t kMostIndent = 40;

std::string Amount(int64_t value, ValueUnit unit, bool unicode) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return FormatDuration(value, unicode);
    case ValueUnit::kBytes:
      return FormatBytes(value);
    case ValueUnit::kSamples:
      return fmt::format("{} sample{}", FormatCount(value), value == 1 ? "" : "s");
    case ValueUnit::kCount:
      return FormatCount(value);
  }
  return FormatCount(value);
}

// "sin" of "{built-in method math.sin}": what a sentence calls a function.
std::string ShortName(const FunctionRow& row, bool unicode) {
  std::string name = Printable(row.name, unicode);
  if (row.file == "~" && name.size() > 2 && name.front() == '<' && name.back() == '>') {
    name = name.substr(1, name.size() - 2);
  }
  name = ShortenMiddle(name, 40, unicode);
  if (row.file == "~" || row.file.data() == nullptr || row.file.empty()) return name;
  const size_t slash = row.file.find_last_of("/\\");
  const std::string_view file =
      slash == std::string_view::npos ? row.file : row.file.substr(slash + 1);
  const std::string place = ShortenMiddle(Printable(file, unicode), 30, unicode);
  return row.line == kNoInt ? fmt::format("{} ({})", name, place)
                            : fmt::format("{} ({}:{})", name, place, row.line);
}

std::string WholeOf(const FunctionTable& table, bool unicode) {
  switch (table.unit) {
    case ValueUnit::kNanoseconds:
      return fmt::format("The profiled code ran for {}", FormatDuration(table.total, unicode));
    case ValueUnit::kSamples:
      return fmt::format("The profile has {}", Amount(table.total, table.unit, unicode));
    case ValueUnit::kBytes:
      return fmt::format("The profile counts {}", FormatBytes(table.total));
    case ValueUnit::kCount:
      break;
  }
  return fmt::format("The profile counts {}", FormatCount(table.total));
}

// The end of a path, which tells files apart: what follows site-packages or the standard library's
// folder, else the last parts.
std::string_view EndOfPath(std::string_view path, bool& cut) {
  constexpr size_t kParts = 3;
  const std::string_view whole = path;
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (const size_t at = path.rfind(folder); at != std::string_view::npos) {
      path.remove_prefix(at + folder.size());
      return path;
    }
  }
  if (const size_t at = path.rfind("/lib/python"); at != std::string_view::npos) {
    const size_t slash = path.find('/', at + 5);
    if (slash != std::string_view::npos) return path.substr(slash + 1);
  }
  size_t begin = whole.size();
  for (size_t part = 0; part < kParts; ++part) {
    const size_t slash = begin == 0 ? std::string_view::npos : whole.rfind('/', begin - 1);
    if (slash == std::string_view::npos) return whole;
    begin = slash;
  }
  cut = begin > 0;
  return cut ? whole.substr(begin + 1) : whole;
}

std::string Place(const FunctionRow& row, const OutputStyle& style) {
  if (row.file.data() == nullptr) {
    return row.module.data() == nullptr ? std::string() : Printable(row.module, style.unicode);
  }
  if (row.file == "~" && row.line == 0) return "built-in";
  bool cut = false;
  std::string place = Printable(EndOfPath(row.file, cut), style.unicode);
  if (cut) place.insert(0, style.unicode ? "…/" : "../");
  if (row.line != kNoInt) place += fmt::format(":{}", row.line);
  return place;
}

std::string Name(const FunctionRow& row, const OutputStyle& style) {
  if (row.file == "~" && row.line == 0 && row.name.size() >= 2 && row.name.starts_with('<') &&
      row.name.ends_with('>')) {
    return "{" + Printable(row.name.substr(1, row.name.size() - 2), style.unicode) + "}";
  }
  return Printable(row.name, style.unicode);
}

// "465/1": all calls / those that are not recursive.
std::string Calls(const FunctionValues& values, const OutputStyle& style) {
  if (!values.calls) return Missing(style);
  if (!values.primitive_calls || *values.primitive_calls == *values.calls) {
    return FormatCount(*values.calls);
  }
  return fmt::format("{}/{}", FormatCount(*values.calls), FormatCount(*values.primitive_calls));
}

std::optional<int64_t> PerCall(std::optional<int64_t> value, std::optional<int64_t> calls) {
  if (!value || !calls || *calls <= 0) return std::nullopt;
  return *value / *calls;
}

// A column of times, sizes or counts.
class AmountColumn {
 public:
  AmountColumn(std::string_view title, ValueUnit unit, const std::vector<int64_t>& values,
               const OutputStyle& style)
      : title_(title), style_(style) {
    if (unit == ValueUnit::kNanoseconds) unit_ = DurationUnit(values, style.unicode);
    if (unit == ValueUnit::kBytes) unit_ = ByteUnit(values);
  }
  [[nodiscard]] std::string Header() const {
    return unit_.name.empty() ? std::string(title_) : fmt::format("{} {}", title_, unit_.name);
  }
  // "ms/call"
  [[nodiscard]] std::string HeaderPerCall() const {
    return unit_.name.empty() ? std::string("per call") : fmt::format("{}/call", unit_.name);
  }
  [[nodiscard]] std::string Cell(std::optional<int64_t> value) const {
    if (!value) return Missing(style_);
    return unit_.name.empty() ? FormatCount(*value) : FormatIn(unit_, *value);
  }

 private:
  std::string_view title_;
  ColumnUnit unit_;
  OutputStyle style_;
};

std::string SourceLine(const FunctionView& view, const OutputStyle& style) {
  std::vector<std::string> parts;
  uint64_t bytes = 0;
  for (const ProfileSource& file : view.files) bytes += file.decoded_bytes;
  if (view.files.size() == 1) {
    const std::string& path = view.files[0].path;
    const size_t slash = path.find_last_of('/');
    parts.push_back(ShortenMiddle(
        Printable(path == "-"
                      ? "standard input"
                      : std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1),
                  style.unicode),
        style.width / 2, style.unicode));
  } else {
    parts.push_back(fmt::format("{} profiles", view.files.size()));
  }
  parts.push_back(fmt::format("{} function{}", FormatCount(static_cast<int64_t>(view.all_rows)),
                              view.all_rows == 1 ? "" : "s"));
  parts.push_back(FormatBytes(static_cast<int64_t>(bytes)));
  if (view.table.source == FunctionShape::kTree) {
    parts.emplace_back("whole call paths");
  } else {
    parts.emplace_back(view.table.has_calls ? "callers and callees, no paths"
                                            : "totals, no callers");
  }
  return fmt::format("{}", fmt::join(parts, style.unicode ? " · " : ", "));
}

// Of a profile that has no function's own time.
std::string TotalsAnswer(const FunctionView& view, bool unicode) {
  const FunctionTable& table = view.table;
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].in_profile) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return table.rows[a].values.total > table.rows[b].values.total;
  });
  std::vector<std::string> phrases;
  for (size_t i = 0; i < std::min(rows.size(), kNamed); ++i) {
    const FunctionRow& row = table.rows[rows[i]];
    phrases.push_back(fmt::format("{} {}", ShortName(row, unicode),
                                  Amount(row.values.total.value_or(0), table.unit, unicode)));
  }
  return fmt::format("Totals of functions that may contain one another, the longest first: {}.",
                     fmt::join(phrases, ", "));
}

std::string FunctionsTable(const FunctionView& view, size_t count, const OutputStyle& style) {
  const FunctionTable& table = view.table;
  const auto collect = [&](auto get) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i) {
      const std::optional<int64_t> value = get(table.rows[view.rows[i]].values);
      if (value) values.push_back(*value);
    }
    return values;
  };
  using Values = FunctionValues;
  const auto self = [](const Values& v) { return v.self; };
  const auto total = [](const Values& v) { return v.total; };
  const auto self_call = [](const Values& v) { return PerCall(v.self, v.calls); };
  const auto total_call = [](const Values& v) { return PerCall(v.total, v.primitive_calls); };
  const AmountColumn self_column("self", table.unit, collect(self), style);
  const AmountColumn total_column("total", table.unit, collect(total), style);
  const AmountColumn self_call_column("", table.unit, collect(self_call), style);
  const AmountColumn total_call_column("", table.unit, collect(total_call), style);
  const bool calls = std::any_of(view.rows.begin(), view.rows.end(), [&](uint32_t row) {
    return table.rows[row].values.calls.has_value();
  });
  const bool own = table.has_self;
  int64_t most = 0;
  for (const int64_t value : own ? collect(self) : collect(total)) most = std::max(most, value);

  std::vector<TableColumn> columns = {{"function", kName, TableColumn::kAlways, 34}};
  if (calls) columns.push_back({"calls", kNumber, 80});
  if (own) {
    columns.push_back({self_column.Header(), kNumber});
    columns.push_back({"share", kNumber, 75});
    columns.push_back({"", kBar, 30});
    if (calls) columns.push_back({self_call_column.HeaderPerCall(), kNumber, 50});
  }
  columns.push_back({total_column.Header(), kNumber, 90});
  if (!own) columns.push_back({"", kBar, 30});
  if (calls) columns.push_back({total_call_column.HeaderPerCall(), kNumber, 45});
  columns.push_back({"place", kName, 70, 26});
  Table out(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const FunctionRow& row = table.rows[view.rows[i]];
    const Values& values = row.values;
    std::vector<TableCell> cells = {Name(row, style)};
    if (calls) cells.emplace_back(Calls(values, style));
    if (own) {
      cells.emplace_back(self_column.Cell(values.self));
      cells.emplace_back(FormatShare(Ratio(values.self.value_or(0), table.total)));
      cells.push_back(TableCell::Bar(Ratio(values.self.value_or(0), most), Ink::kCpu));
      if (calls) cells.emplace_back(self_call_column.Cell(self_call(values)));
    }
    cells.emplace_back(total_column.Cell(values.total));
    if (!own) cells.push_back(TableCell::Bar(Ratio(values.total.value_or(0), most), Ink::kCpu));
    if (calls) cells.emplace_back(total_call_column.Cell(total_call(values)));
    cells.emplace_back(Place(row, style), Ink::kDim);
    out.AddRow(std::move(cells));
  }
  return out.Render(style);
}

// Each function with those that called it, or that it called, below it.
std::string RelatedTable(const FunctionView& view, const CallIndex& index, bool callers,
                         size_t count, const OutputStyle& style) {
  const FunctionTable& table = view.table;
  struct Line {
    std::string name;
    const FunctionRow* row;
    const FunctionValues* values;
    bool related;
  };
  std::vector<Line> lines;
  size_t hidden = 0;
  const std::string_view to = style.unicode ? "→ " : "-> ";
  const std::string_view from = style.unicode ? "← " : "<- ";
  for (size_t i = 0; i < count; ++i) {
    const FunctionRow& row = table.rows[view.rows[i]];
    lines.push_back({Name(row, style), &row, &row.values, false});
    const std::vector<uint32_t> calls = SortedCalls(table, index.Of(view.rows[i]), callers);
    for (size_t c = 0; c < calls.size(); ++c) {
      if (c >= kRelated) {
        hidden += calls.size() - c;
        break;
      }
      const CallRow& call = table.calls[calls[c]];
      const FunctionRow& other = table.rows[callers ? call.caller : call.callee];
      lines.push_back({fmt::format("  {}{}", callers ? from : to, Name(other, style)), &other,
                       &call.values, true});
    }
  }
  std::vector<int64_t> selfs;
  std::vector<int64_t> totals;
  for (const Line& line : lines) {
    if (line.values->self) selfs.push_back(*line.values->self);
    if (line.values->total) totals.push_back(*line.values->total);
  }
  const AmountColumn self("self", table.unit, selfs, style);
  const AmountColumn total("total", table.unit, totals, style);
  Table out({{"function", kName, TableColumn::kAlways, 34},
             {"calls", kNumber, 80},
             {self.Header(), kNumber},
             {total.Header(), kNumber, 90},
             {"place", kName, 70, 26}});
  for (const Line& line : lines) {
    const Ink ink = line.related ? Ink::kDim : Ink::kPlain;
    out.AddRow({{line.name, ink},
                {Calls(*line.values, style), ink},
                {self.Cell(line.values->self), ink},
                {total.Cell(line.values->total), ink},
                {Place(*line.row, style), Ink::kDim}});
  }
  std::string text = out.Render(style);
  if (hidden > 0) {
    text += fmt::format("  {} more with less time are in --json.\n",
                        FormatCount(static_cast<int64_t>(hidden)));
  }
  return text;
}

// "4.75", "≤ 4.75" or "3.10 – 4.75".
std::string RangeOf(const FunctionTreeNode& node, const AmountColumn& column,
                    const OutputStyle& style) {
  if (node.recursive) return "";
  if (node.exact()) return column.Cell(node.most);
  if (node.least <= 0) return (style.unicode ? "≤ " : "<= ") + column.Cell(node.most);
  return fmt::format("{} {} {}", column.Cell(node.least), style.unicode ? "–" : "-",
                     column.Cell(node.most));
}

std::string TreeText(const FunctionView& view, std::optional<int64_t> limit,
                     const OutputStyle& style) {
  const FunctionTable& table = view.table;
  FunctionTreeOptions options;
  options.depth = static_cast<uint32_t>(
      std::min<int64_t>(view.request.depth.value_or(kTreeDepth), kDeepestFunctionTree));
  options.least_share = kTreeShare;
  options.most_nodes =
      limit ? (*limit <= 0 ? kMostTreeRows : static_cast<size_t>(*limit)) : kTreeRows;
  const std::vector<FunctionTreeNode> nodes = BuildFunctionTree(table, options);
  std::vector<int64_t> totals;
  bool ranges = false;
  bool hidden = false;
  for (const FunctionTreeNode& node : nodes) {
    if (!node.recursive) totals.push_back(node.most);
    ranges |= !node.recursive && !node.exact();
    hidden |= node.hidden_children > 0;
  }
  const AmountColumn total("total", table.unit, totals, style);
  Table out({{"function", kName, TableColumn::kAlways, 44},
             {total.Header(), kNumber},
             {"share", kNumber, 75},
             {"calls", kNumber, 60},
             {"place", kName, 70, 26}});
  for (const FunctionTreeNode& node : nodes) {
    const FunctionRow& row = table.rows[node.row];
    std::string name(size_t{2} * std::min<uint32_t>(node.depth, kMostIndent), ' ');
    name += Name(row, style);
    if (node.hidden_children > 0) name += style.unicode ? " …" : " ..";
    if (node.recursive) name += " (recursive)";
    std::string share;
    if (!node.recursive) {
      share = FormatShare(Ratio(node.most, table.total));
      if (!node.exact()) share.insert(0, style.unicode ? "≤ " : "<= ");
    }
    out.AddRow({name,
                RangeOf(node, total, style),
                share,
                node.calls ? FormatCount(*node.calls) : std::string(),
                {Place(row, style), Ink::kDim}});
  }
  std::string text = out.Render(style);
  const auto remark = [&](std::string_view sentence) {
    for (const std::string& line : Wrap(sentence, style.width - 2)) text += "  " + line + "\n";
  };
  if (ranges || hidden) text += "\n";
  if (ranges) {
    remark(
        "Where a function has several callers, the profile does not say how its time divides over "
        "longer paths: it keeps pairs of caller and callee. Such a row has the range in which the "
        "true value lies.");
  }
  if (hidden) {
    remark(
        fmt::format("{} has further calls that are not shown: below {} of the time, deeper than "
                    "--depth, or beyond --limit.",
                    style.unicode ? "…" : "..", FormatShare(kTreeShare)));
  }
  return text;
}

// What --own-code did.
std::string OwnCodeRemark(const FunctionTable& table, const OutputStyle& style) {
  const FoldedTime& folded = *table.folded;
  const auto amount = [&](int64_t value) {
    return fmt::format("{} ({})", Amount(value, table.unit, style.unicode),
                       FormatShare(Ratio(value, table.total), 0));
  };
  std::string text = fmt::format("Libraries took {}", amount(folded.library));
  if (folded.library == 0) return "No library function is in the profile.";
  const int64_t given = folded.library - folded.undetermined - folded.without_owner;
  text += fmt::format("; {} of it is given to the own functions that called them",
                      given == folded.library ? "all" : amount(given));
  if (folded.undetermined > 0) {
    text += fmt::format(
        "; {} stays with the library because several own functions lead there and the profile "
        "keeps "
        "pairs, not paths",
        amount(folded.undetermined));
  }
  if (folded.without_owner > 0) {
    text += fmt::format("; {} has no own function above it", amount(folded.without_owner));
  }
  return text + ".";
}

}  // namespace

std::vector<uint32_t> SortedCalls(const FunctionTable& table, std::span<const uint32_t> calls,
                                  bool callers) {
  std::vector<uint32_t> sorted(calls.begin(), calls.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t i, uint32_t j) {
    const CallRow& a = table.calls[i];
    const CallRow& b = table.calls[j];
    if (a.values.total != b.values.total) return a.values.total > b.values.total;
    if (a.values.calls != b.values.calls) return a.values.calls > b.values.calls;
    return table.rows[callers ? a.caller : a.callee].name <
           table.rows[callers ? b.caller : b.callee].name;
  });
  return sorted;
}

size_t RowsOfText(const FunctionRequest& request, std::optional<int64_t> limit) {
  if (limit) return static_cast<size_t>(std::max<int64_t>(*limit, 0));
  return request.callers || request.callees ? kRelatedRows : kRows;
}

std::string FunctionAnswer(const FunctionView& view, bool unicode) {
  const FunctionTable& table = view.table;
  if (view.all_rows == 0) {
    return view.of_traces ? "The trace has no Python functions: record them with with_stack=True."
                          : "The profile holds no functions: nothing was recorded.";
  }
  if (!table.has_self) return TotalsAnswer(view, unicode);
  std::vector<uint32_t> rows;
  int64_t waiting = 0;
  for (uint32_t i = 0; i < table.rows.size(); ++i) {
    const FunctionRow& row = table.rows[i];
    if (!row.in_profile || row.values.self.value_or(0) <= 0) continue;
    // Small ones do not change the sentence.
    if (Ratio(*row.values.self, table.total) >= kWorthNaming / 10 && IsWait(row.file, row.name)) {
      AddTo(waiting, *row.values.self);
    } else {
      rows.push_back(i);
    }
  }
  const size_t named = std::min(rows.size(), kNamed);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(named), rows.end(),
                    [&](uint32_t a, uint32_t b) {
                      const auto& x = table.rows[a];
                      const auto& y = table.rows[b];
                      if (x.values.self != y.values.self) return x.values.self > y.values.self;
                      return x.name < y.name;
                    });
  std::string text = WholeOf(table, unicode);
  if (view.thread && view.threads.size() > 1) {
    text += fmt::format(" on {}", Printable(view.threads[*view.thread].name, unicode));
  }
  const double waited = Ratio(waiting, table.total);
  int64_t whole = table.total;
  if (waited >= kWorthNaming) {
    text += fmt::format(", {} waiting for other threads or processes",
                        waited >= 0.995 ? "all of it" : SharePhrase(waited) + " of it");
    whole -= waiting;
  }
  std::vector<std::string> phrases;
  for (size_t i = 0; i < named; ++i) {
    const FunctionRow& row = table.rows[rows[i]];
    const double share = Ratio(*row.values.self, whole);
    if (share < kWorthNaming) break;
    phrases.push_back(fmt::format("{} in {}{}", SharePhrase(share), ShortName(row, unicode),
                                  phrases.empty() ? " itself" : ""));
  }
  if (waited >= 0.995) return text + ".";
  text += waited >= kWorthNaming ? "; of the rest " : ": ";
  if (phrases.empty()) {
    return fmt::format("{}spread over {} functions, none above {}.", text,
                       FormatCount(static_cast<int64_t>(view.all_rows)),
                       FormatShare(kWorthNaming, 0));
  }
  return fmt::format("{}{}.", text, fmt::join(phrases, ", "));
}

std::string FunctionsText(const FunctionView& view, std::optional<int64_t> limit,
                          const OutputStyle& style) {
  std::string out;
  for (const std::string& line : Wrap(FunctionAnswer(view, style.unicode), style.width)) {
    out += Paint(Ink::kBold, line, style) + "\n";
  }
  if (view.all_rows == 0) return out;
  for (const std::string& line : Wrap(SourceLine(view, style), style.width)) {
    out += Paint(Ink::kDim, line, style) + "\n";
  }
  const auto paragraph = [&](std::string_view text) {
    for (const std::string& line : Wrap(text, style.width - 2)) out += "  " + line + "\n";
  };
  if (view.request.tree) {
    out += "\n" + Heading("Call tree", "total time of each path", style);
    out += TreeText(view, limit, style);
    if (view.table.folded) {
      out += "\n";
      paragraph(OwnCodeRemark(view.table, style));
    }
    return out;
  }
  const bool related = view.callers || view.callees;
  const size_t count = CountShown(view.rows.size(), RowsOfText(view.request, limit));
  std::string remark = view.sort_field
                           ? fmt::format("by {}", *view.sort_field)
                           : fmt::format("by {} time", view.table.has_self ? "their own" : "total");
  if (view.request.reverse) remark += ", reversed";
  if (count < view.all_rows) {
    remark += fmt::format("{}{} of {}", style.unicode ? " · " : ", ", count,
                          FormatCount(static_cast<int64_t>(view.all_rows)));
  }
  if (view.rows.empty()) return out + "\n  No function is left by the restrictions.\n";
  if (!related) {
    out += "\n" +
           Heading(view.table.folded ? "Own functions, with the libraries they call" : "Functions",
                   remark, style);
    out += FunctionsTable(view, count, style);
  }
  if (view.callers) {
    out += "\n" + Heading("Functions and their callers", remark, style);
    out += RelatedTable(view, *view.callers, true, count, style);
  }
  if (view.callees) {
    out += "\n" + Heading("Functions and what they call", remark, style);
    out += RelatedTable(view, *view.callees, false, count, style);
  }
  if (view.table.folded) {
    out += "\n";
    paragraph(OwnCodeRemark(view.table, style));
  }
  if (view.table.left_out > 0) {
    out += "\n";
    paragraph(fmt::format("{} of the profiles count in another unit than {} and are not in here.",
                          view.table.left_out, NameOf(view.table.unit)));
  }
  return out;
}

}  // namespace telltale
