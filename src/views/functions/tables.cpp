// SPDX-License-Identifier: Apache-2.0
#include "views/functions/tables.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/origin.h"
#include "base/utf8.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table_json.h"
#include "views/render/table_text.h"
#include "views/render/unit_column.h"

namespace telltale {

namespace {

using enum Quantity;
using Role = ShownFunction::Role;
constexpr int kAlways = Shown::kAlways;

// With callers or callees: how many of each function's the terminal lists.
constexpr size_t kRelated = 8;
// The tree: what suits a screen or two.
constexpr int64_t kTreeDepth = 8;
constexpr size_t kTreeRows = 60;
constexpr size_t kMostTreeRows = 10000;
constexpr double kTreeShare = 0.001;
constexpr uint32_t kMostIndent = 40;

Quantity QuantityOf(ValueUnit unit) {
  return unit == ValueUnit::kNanoseconds ? kDuration : unit == ValueUnit::kBytes ? kBytes : kCount;
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

FieldValue Known(std::optional<int64_t> value) { return value ? FieldValue(*value) : FieldValue(); }
FieldValue Known(std::string_view text) {
  return text.data() == nullptr ? FieldValue() : FieldValue(text);
}
FieldValue LineOf(const FunctionRow& row) {
  return row.line == kNoInt ? FieldValue() : FieldValue(row.line);
}

template <auto kMember>
FieldValue ValueOf(const ShownFunction& row) {
  return Known((*row.values).*kMember);
}

Ink InkOf(const ShownFunction& row) { return row.role == Role::kItself ? Ink::kPlain : Ink::kDim; }

std::string NameText(const ShownFunction& row, const OutputStyle& style) {
  std::string name = Name(row.row(), style);
  if (row.role == Role::kCaller) name.insert(0, style.unicode ? "  ← " : "  <- ");
  if (row.role == Role::kCallee) name.insert(0, style.unicode ? "  → " : "  -> ");
  return name;
}

// The callers or callees of one row, most total time first; ties by name.
std::vector<ShownFunction> RelatedTo(const FunctionView& view, uint32_t number, Role role) {
  const FunctionTable& table = view.table;
  const bool callers = role == Role::kCaller;
  const auto other = [&](uint32_t call) {
    return callers ? table.calls[call].caller : table.calls[call].callee;
  };
  const std::span<const uint32_t> calls = (callers ? view.callers : view.callees)->Of(number);
  std::vector<uint32_t> sorted(calls.begin(), calls.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t i, uint32_t j) {
    const FunctionValues& a = table.calls[i].values;
    const FunctionValues& b = table.calls[j].values;
    if (a.total != b.total) return a.total > b.total;
    if (a.calls != b.calls) return a.calls > b.calls;
    return table.rows[other(i)].name < table.rows[other(j)].name;
  });
  std::vector<ShownFunction> rows;
  for (const uint32_t call : sorted)
    rows.push_back({&view, other(call), &table.calls[call].values, role});
  return rows;
}

// What calls have for programs.
TableSpec<ShownFunction> ValueTable(const FunctionTable& table) {
  using R = ShownFunction;
  using V = FunctionValues;
  const Quantity amount = QuantityOf(table.unit);
  TableSpec<R> spec;
  spec.columns = {
      Field<R>("file", kText, [](const R& row) { return Known(row.row().file); }),
      Field<R>("line", kId, [](const R& row) { return LineOf(row.row()); }),
      Field<R>("name", kName, [](const R& row) -> FieldValue { return row.row().name; },
               {.title = "function", .importance = kAlways, .least_width = 34})
          .Known()
          .WithText(NameText)
          .WithInk(InkOf),
      Field("calls", kCount, ValueOf<&V::calls>, {.title = "calls", .importance = 80})
          .WithText(
              [](const R& row, const OutputStyle& style) { return Calls(*row.values, style); })
          .WithInk(InkOf)
          .WithHelp("all calls; with recursion all / primitive (not made from inside a call of the "
                    "function)")
          .OnPage("ncalls"),
      Field("primitive_calls", kCount, ValueOf<&V::primitive_calls>),
      Field("self_ns", amount, ValueOf<&V::self>, {.title = "self", .importance = kAlways})
          .WithInk(InkOf)
          .WithHelp("in the function itself")
          .OnPage("tottime"),
      Field("total_ns", amount, ValueOf<&V::total>, {.title = "total", .importance = 90})
          .WithInk(InkOf)
          .WithHelp("in the function and all it calls; recursion counts once")
          .NoSum()
          .OnPage("cumtime"),
      Field<R>("place", kName, nullptr,
               {.title = "place", .importance = 70, .least_width = 26, .ink = Ink::kDim})
          .WithText([](const R& row, const OutputStyle& style) { return Place(row.row(), style); })
          .ForPeople(),
  };
  if (table.has_modules) {
    spec.columns.push_back(Field<R>("module", kText,
                                    [](const R& row) { return Known(row.row().module); },
                                    {.title = "module", .importance = 30, .terminal = false})
                               .Sometimes());
  }
  spec.columns.push_back(Field<R>("package", kText,
                                  [](const R& row) -> FieldValue {
                                    return OriginOf(row.row().file, row.row().name).package;
                                  },
                                  {.title = "package", .importance = 40, .terminal = false})
                             .Known());
  spec.columns.push_back(Field<R>("own_code", kFlag, [](const R& row) -> FieldValue {
                           return OriginOf(row.row().file, row.row().name).own;
                         }).Known());
  spec.order = {"name", "calls", "self_ns", "total_ns", "place"};
  return spec;
}

template <Role kRole>
void WriteRelated(const ShownFunction& row, JsonWriter& json) {
  WriteTableJson(
      RowTable<ShownFunction>(ValueTable(row.view->table), RelatedTo(*row.view, row.number, kRole)),
      {}, json);
}

// "4.75", "≤ 4.75" or "3.10 – 4.75".
std::string RangeText(const ShownNode& node, const CellStyle& style) {
  if (node.recursive) return "";
  if (node.exact()) return style.InUnit(node.most);
  if (node.least <= 0) return (style.unicode ? "≤ " : "<= ") + style.InUnit(node.most);
  return fmt::format("{} {} {}", style.InUnit(node.least), style.unicode ? "–" : "-",
                     style.InUnit(node.most));
}

std::string ShareText(const ShownNode& node, const OutputStyle& style) {
  if (node.recursive) return "";
  const std::string share = FormatShare(Ratio(node.most, node.table->total));
  return node.exact() ? share : (style.unicode ? "≤ " : "<= ") + share;
}

std::string PathText(const ShownNode& node, const OutputStyle& style) {
  std::string name(size_t{2} * std::min<uint32_t>(node.depth, kMostIndent), ' ');
  name += Name(node.function(), style);
  if (node.hidden_children > 0) name += style.unicode ? " …" : " ..";
  if (node.recursive) name += " (recursive)";
  return name;
}

}  // namespace

TableSpec<ShownFunction> FunctionRowTable(const FunctionView& view) {
  using R = ShownFunction;
  const FunctionTable& table = view.table;
  const Quantity amount = QuantityOf(table.unit);
  TableSpec<R> spec = ValueTable(table);
  const auto related = [&](std::string_view key, void (*json)(const R& row, JsonWriter& json)) {
    ColumnSpec<R> column;
    column.key = key;
    column.json = json;
    spec.columns.push_back(std::move(column).OfType("readonly FunctionRow[]").Sometimes());
  };
  if (view.callers) related("callers", WriteRelated<Role::kCaller>);
  if (view.callees) related("callees", WriteRelated<Role::kCallee>);
  spec.columns.push_back(BarOf<R>("total_bar", "total_ns", {}));
  spec.columns.push_back(
      Field<R>("share", kShare, nullptr, {.title = "share", .importance = 75, .page = false})
          .WithText([](const R& row, const OutputStyle&) {
            return FormatShare(Ratio(row.values->self.value_or(0), row.view->table.total));
          })
          .ForPeople());
  spec.columns.push_back(BarOf<R>("bar", table.has_self ? "self_ns" : "total_ns",
                                  {.importance = 30, .ink = Ink::kCpu}));
  const auto per_call = [&](std::string_view key, int importance, FieldValue (*get)(const R& row),
                            std::string_view help) {
    spec.columns.push_back(
        Field<R>(key, amount, get, {.title = "per call", .importance = importance, .per = "call"})
            .WithHelp(help)
            .NoSum()
            .OnPage("percall")
            .ForPeople());
  };
  per_call(
      "self_per_call_ns", 50,
      [](const R& row) { return Known(PerCall(row.values->self, row.values->calls)); },
      "self ÷ calls");
  per_call(
      "total_per_call_ns", 45,
      [](const R& row) { return Known(PerCall(row.values->total, row.values->primitive_calls)); },
      "total ÷ primitive calls");
  if (table.has_self) {
    spec.order = {"name",     "calls",
                  "self_ns",  "share",
                  "bar",      "self_per_call_ns",
                  "total_ns", "total_per_call_ns",
                  "module",   "package",
                  "place"};
  } else {
    spec.order = {"name",   "calls",   "total_ns", "bar", "total_per_call_ns",
                  "module", "package", "place"};
  }
  if (!table.has_modules) std::erase(spec.order, "module");
  if (std::none_of(view.rows.begin(), view.rows.end(),
                   [&](uint32_t row) { return table.rows[row].values.calls.has_value(); }))
    spec.Hide({"calls", "self_per_call_ns", "total_per_call_ns"});
  return spec;
}

std::vector<ShownFunction> FunctionRows(const FunctionView& view) {
  std::vector<ShownFunction> rows;
  rows.reserve(view.rows.size());
  for (const uint32_t row : view.rows) rows.push_back({&view, row, &view.table.rows[row].values});
  return rows;
}

TableSpec<FunctionThread> FunctionThreadTable() {
  using R = FunctionThread;
  TableSpec<R> spec;
  spec.columns = {
      Field<R>("name", kText, [](const R& row) -> FieldValue { return RepairUtf8(row.name); })
          .Known(),
      Field("total_ns", kDuration, Get<&R::total>),
      Field("waiting_ns", kDuration, Get<&R::waiting>),
      Field("main", kFlag, Get<&R::is_main>),
      Field("idle", kFlag, Get<&R::is_idle>),
  };
  return spec;
}

TableSpec<FunctionLine> FunctionLineTable(int64_t total) {
  using R = FunctionLine;
  TableSpec<R> spec;
  spec.columns = {
      Field<R>("file", kText, [](const R& row) { return Known(row.file); }),
      Field<R>(
          "line", kId,
          [](const R& row) { return row.line == kNoInt ? FieldValue() : FieldValue(row.line); },
          {.title = "line", .importance = kAlways})
          .OnPage("Line"),
      Field<R>("name", kName, [](const R& row) -> FieldValue { return row.name; },
               {.title = "function", .importance = kAlways, .least_width = 20})
          .WithText([](const R& row, const CellStyle& style) {
            return Printable(row.name, style.unicode);
          })
          .Known(),
      Field("self_ns", kDuration, Get<&R::self>, {.title = "time", .importance = kAlways})
          .WithHelp("in the line itself, in native code that it calls, and waiting there")
          .OnPage("Time"),
      Field<R>("share", kShare, nullptr, {.title = "share", .importance = 75, .page = false})
          .WithText([total](const R& row, const CellStyle&) {
            return FormatShare(Ratio(row.self, total));
          })
          .ForPeople(),
      BarOf<R>("bar", "self_ns", {.importance = 30, .ink = Ink::kCpu}),
      Field<R>("place", kText, nullptr, {.title = "file", .importance = 60, .page = false})
          .WithText([](const R& row, const CellStyle& style) {
            FunctionRow place;
            place.file = row.file;
            place.line = row.line;
            return Place(place, style);
          })
          .ForPeople(),
  };
  spec.order = {"line", "name", "self_ns", "share", "bar", "place"};
  return spec;
}

TableSpec<ShownNode> FunctionTreeTable(ValueUnit unit) {
  using R = ShownNode;
  const Quantity amount = QuantityOf(unit);
  TableSpec<R> spec;
  spec.columns = {
      Field<R>("parent", kId,
               [](const R& node) {
                 return node.parent == kNoCallNode ? FieldValue() : Get<R, &R::parent>(node);
               }),
      Field("depth", kCount, Get<R, &R::depth>),
      Field<R>("file", kText, [](const R& node) { return Known(node.function().file); }),
      Field<R>("line", kId, [](const R& node) { return LineOf(node.function()); }),
      Field<R>("name", kName, [](const R& node) -> FieldValue { return node.function().name; },
               {.title = "function", .importance = kAlways, .least_width = 44})
          .WithText(PathText),
      Field("calls", kCount, Get<R, &R::calls>, {.title = "calls", .importance = 60})
          .WithText([](const R& node, const OutputStyle&) {
            return node.calls ? FormatCount(*node.calls) : "";
          }),
      Field("self_ns", amount, Get<R, &R::self>),
      Field<R>("total_ns", amount,
               [](const R& node) { return node.exact() ? Get<R, &R::most>(node) : FieldValue(); }),
      Field<R>(
          "total_least_ns", amount,
          [](const R& node) { return node.recursive ? FieldValue() : Get<R, &R::least>(node); }),
      Field<R>("total_most_ns", amount,
               [](const R& node) { return node.recursive ? FieldValue() : Get<R, &R::most>(node); },
               {.title = "total", .importance = kAlways})
          .WithText(RangeText),
      Field("recursive", kFlag, Get<R, &R::recursive>),
      Field("hidden_children", kCount, Get<R, &R::hidden_children>),
      Field<R>("share", kShare, nullptr, {.title = "share", .importance = 75})
          .WithText(ShareText)
          .ForPeople(),
      Field<R>("place", kName, nullptr,
               {.title = "place", .importance = 70, .least_width = 26, .ink = Ink::kDim})
          .WithText(
              [](const R& node, const OutputStyle& style) { return Place(node.function(), style); })
          .ForPeople(),
  };
  spec.order = {"name", "total_most_ns", "share", "calls", "place"};
  return spec;
}

std::vector<ShownNode> FunctionNodes(const FunctionTable& table,
                                     const FunctionTreeOptions& options) {
  std::vector<ShownNode> nodes;
  for (const FunctionTreeNode& node : BuildFunctionTree(table, options))
    nodes.push_back({node, &table});
  return nodes;
}

std::string RelatedText(const FunctionView& view, Role role, size_t count,
                        const OutputStyle& style) {
  std::vector<ShownFunction> rows;
  size_t hidden = 0;
  for (const ShownFunction& function : FunctionRows(view)) {
    if (count-- == 0) break;
    rows.push_back(function);
    const std::vector<ShownFunction> others = RelatedTo(view, function.number, role);
    const size_t shown = std::min(others.size(), kRelated);
    rows.insert(rows.end(), others.begin(), others.begin() + static_cast<ptrdiff_t>(shown));
    hidden += others.size() - shown;
  }
  std::string text =
      TableText(RowTable<ShownFunction>(ValueTable(view.table), std::move(rows)), {}, style);
  if (hidden > 0) {
    text += fmt::format("  {} more with less time are in --json.\n",
                        FormatCount(static_cast<int64_t>(hidden)));
  }
  return text;
}

std::string FunctionTreeText(const FunctionView& view, std::optional<int64_t> limit,
                             const OutputStyle& style) {
  FunctionTreeOptions options;
  options.depth = static_cast<uint32_t>(
      std::min<int64_t>(view.request.depth.value_or(kTreeDepth), kDeepestFunctionTree));
  options.least_share = kTreeShare;
  options.most_nodes =
      limit ? (*limit <= 0 ? kMostTreeRows : static_cast<size_t>(*limit)) : kTreeRows;
  const std::vector<ShownNode> nodes = FunctionNodes(view.table, options);
  bool ranges = false;
  bool hidden = false;
  for (const ShownNode& node : nodes) {
    ranges |= !node.recursive && !node.exact();
    hidden |= node.hidden_children > 0;
  }
  std::string text =
      TableText(RowTable<ShownNode>(FunctionTreeTable(view.table.unit), nodes), {}, style);
  if (ranges || hidden) text += "\n";
  if (ranges) {
    text += Paragraph(
        "Where a function has several callers, the profile does not say how its time divides over "
        "longer paths: it keeps pairs of caller and callee. Such a row has the range in which the "
        "true value lies.",
        style, 2);
  }
  if (hidden) {
    text += Paragraph(
        fmt::format("{} has further calls that are not shown: below {} of the time, deeper than "
                    "--depth, or beyond --limit.",
                    style.unicode ? "…" : "..", FormatShare(kTreeShare)),
        style, 2);
  }
  return text;
}

}  // namespace telltale
