// SPDX-License-Identifier: Apache-2.0
// The view `modules`: time by module as a tree, as a flat table (--by-layer), or by class
// (--by-class).
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/modules/modules.h"
#include "views/lane_parts.h"
#include "views/render/display.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

enum class Shape : uint8_t { kTree, kLayers, kClasses };

// What is shown of which time.
struct Look {
  Shape shape = Shape::kTree;
  bool device = false;  // the device's time, else the host's
  int64_t whole = 0;    // of that time, all there is
  std::string prefix;   // of the paths; flat tables leave it out
};

std::string NameCell(const ModuleRow& row, const Look& look, const OutputStyle& style) {
  if (look.shape != Shape::kTree) {
    const std::string_view path = row.path;
    if (look.prefix.empty() || !path.starts_with(look.prefix))
      return Printable(path, style.unicode);
    return (style.unicode ? "…" : "...") +
           Printable(path.substr(look.prefix.size()), style.unicode);
  }
  std::string name = Printable(row.name, style.unicode);
  if (!row.outside() && !row.name.starts_with(row.class_name))
    name += fmt::format(" ({})", Printable(row.class_name, style.unicode));
  return std::string(2 * size_t{row.depth}, ' ') + name;
}

TableSpec<ModuleRow> ModuleTable() {
  using R = ModuleRow;
  using W = ModuleWork;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.path); };
  spec.columns = {
      Field("path", kText, Get<&R::path>),
      Field("name", kName, Get<&R::name>,
            {.title = "module", .importance = Shown::kAlways, .least_width = 28})
          .WithInk([](const R& row) { return row.outside() ? Ink::kDim : Ink::kPlain; }),
      Field<R>("class", kText,
               [](const R& row) { return row.outside() ? FieldValue() : Get<&R::class_name>(row); },
               {.title = "class", .importance = 60, .terminal = false}),
      Field("module_id", kId, Get<&R::module_id>),
      Field("depth", kCount, Get<&R::depth>),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 80})
          .WithText([](const R& row, const OutputStyle&) {
            return row.outside() ? "" : FormatCount(static_cast<int64_t>(row.calls));
          }),
      Field("recomputed_calls", kCount, Get<&R::recomputed_calls>,
            {.title = "again", .importance = 40, .presence = Presence::kAnyNonZero})
          .WithText([](const R& row, const OutputStyle&) {
            return row.recomputed_calls == 0
                       ? ""
                       : FormatCount(static_cast<int64_t>(row.recomputed_calls));
          })
          .WithHelp("calls made a second time, by the backward pass: activation checkpointing"),
      Field("host_total_ns", kDuration, Get<&R::host_total_ns>),
      Field("host_self_ns", kDuration, Get<&R::host_self_ns>),
      Field("device_total_ns", kDuration, Get<&R::device_total_ns>),
      Field("device_self_ns", kDuration, Get<&R::device_self_ns>),
      Field("forward_operators", kCount, Get<&R::forward, &W::operators>),
      Field("forward_host_total_ns", kDuration, Get<&R::forward, &W::host_total_ns>),
      Field("forward_host_self_ns", kDuration, Get<&R::forward, &W::host_self_ns>),
      Field("forward_frame_self_ns", kDuration, Get<&R::forward, &W::frame_self_ns>),
      Field("forward_device_total_ns", kDuration, Get<&R::forward, &W::device_total_ns>),
      Field("forward_device_self_ns", kDuration, Get<&R::forward, &W::device_self_ns>),
      Field("backward_operators", kCount, Get<&R::backward, &W::operators>),
      Field("backward_host_total_ns", kDuration, Get<&R::backward, &W::host_total_ns>),
      Field("backward_host_self_ns", kDuration, Get<&R::backward, &W::host_self_ns>),
      Field("backward_frame_self_ns", kDuration, Get<&R::backward, &W::frame_self_ns>),
      Field("backward_device_total_ns", kDuration, Get<&R::backward, &W::device_total_ns>),
      Field("backward_device_self_ns", kDuration, Get<&R::backward, &W::device_self_ns>),
      Field<R>("no_operator_ns", kDuration,
               [](const R& row) -> FieldValue {
                 if (row.outside()) return {};
                 return row.forward.frame_self_ns + row.backward.frame_self_ns;
               },
               {.title = "no operator", .importance = 30, .unit_of = "host_self_ns", .page = false})
          .WithText([](const R& row, const CellStyle& style) {
            return row.outside()
                       ? ""
                       : style.InUnit(row.forward.frame_self_ns + row.backward.frame_self_ns);
          })
          .WithHelp("host time of the module in no operator")
          .ForPeople(),
      Field<R>(
          "operators", kCount,
          [](const R& row) -> FieldValue { return row.forward.operators + row.backward.operators; },
          {.title = "operators", .importance = 35, .page = false})
          .ForPeople(),
  };
  return spec;
}

// The table with the columns of a look.
TableSpec<ModuleRow> TableOf(const Look& look, bool backward) {
  const bool tree = look.shape == Shape::kTree;
  const bool device = look.device;
  const std::string_view all = device ? (tree ? "device_total_ns" : "device_self_ns")
                                      : (tree ? "host_total_ns" : "host_self_ns");
  const std::string_view forward =
      device ? (tree ? "forward_device_total_ns" : "forward_device_self_ns")
             : (tree ? "forward_host_total_ns" : "forward_host_self_ns");
  const std::string_view backward_key =
      device ? (tree ? "backward_device_total_ns" : "backward_device_self_ns")
             : (tree ? "backward_host_total_ns" : "backward_host_self_ns");
  const std::string_view self = device ? "device_self_ns" : "host_self_ns";
  TableSpec<ModuleRow> spec = ModuleTable();
  for (ColumnSpec<ModuleRow>& column : spec.columns) {
    if (column.key == "name")
      column.text = [look](const ModuleRow& row, const OutputStyle& style) {
        return NameCell(row, look, style);
      };
  }
  // One unit for what adds up.
  if (device) spec.Show("host_self_ns", {.title = "CPU self", .importance = 60});
  if (tree) spec.Show(self, {.title = "self", .importance = 70, .unit_of = all});
  spec.Show(all, {.title = fmt::format("{} {}", device ? "device" : "CPU", tree ? "total" : "self"),
                  .importance = Shown::kAlways});
  spec.Show(forward, {.title = "forward", .importance = 75, .unit_of = all, .terminal = backward});
  spec.Show(backward_key,
            {.title = "backward", .importance = 75, .unit_of = all, .terminal = backward});
  const auto get = spec.Find(all)->get;
  spec.columns.push_back(
      Field<ModuleRow>("share", kShare, nullptr, {.title = "share", .importance = 90})
          .WithText([get, whole = look.whole](const ModuleRow& row, const OutputStyle&) {
            return FormatShare(Ratio(std::get<int64_t>(get(row)), whole));
          })
          .ForPeople());
  spec.columns.push_back(
      BarOf<ModuleRow>("bar", all, {.importance = 50, .ink = device ? Ink::kKernel : Ink::kCpu}));
  if (tree) {
    spec.columns.push_back(BarOf<ModuleRow>("self_bar", self, {}));
    // Modules hold each other.
    for (ColumnSpec<ModuleRow>& column : spec.columns)
      column.adds_up = column.key.find("_total_") == std::string_view::npos;
  }
  spec.order = {"name",  "class", "calls", "recomputed_calls", all,
                "share", "bar",   forward, backward_key};
  if (tree) spec.order.push_back(self);
  if (device) spec.order.emplace_back("host_self_ns");
  spec.order.insert(spec.order.end(), {"no_operator_ns", "operators"});
  if (look.shape == Shape::kClasses) {
    // Totals of classes would count nested modules of one class twice: they are not shown.
    std::erase_if(spec.columns, [](const ColumnFacts& column) {
      return column.key == "path" || column.key == "module_id" || column.key == "depth" ||
             column.key.find("_total_") != std::string_view::npos;
    });
  }
  return spec;
}

int64_t SelfOf(const ModuleRow& row, bool device) {
  return device ? row.device_self_ns : row.host_self_ns;
}

// What takes the most time, and how much of the whole the modules explain.
std::string Sentence(const ModuleReport& report, const Look& look, const OutputStyle& style) {
  if (report.rows.empty()) {
    return "The capture does not say which module an operator belongs to. torch.profiler records "
           "modules with with_stack=True (with_modules=True has no effect in eager mode); "
           "Lightning's PyTorchProfiler with record_module_names=True, its default.";
  }
  const bool device = look.device;
  int64_t inside = 0;
  const ModuleRow* most = nullptr;
  for (const ModuleRow& row : report.rows) {
    if (row.outside()) continue;
    inside += SelfOf(row, device);
    if (most == nullptr || SelfOf(row, device) > SelfOf(*most, device)) most = &row;
  }
  std::string text =
      fmt::format("Modules take {} of the {} time ({} of {}).",
                  FormatShare(Ratio(inside, look.whole)), device ? "device" : "CPU",
                  FormatDuration(inside, style.unicode), FormatDuration(look.whole, style.unicode));
  if (most != nullptr && SelfOf(*most, device) > 0) {
    const ModuleWork& f = most->forward;
    const ModuleWork& b = most->backward;
    text += fmt::format(" The most of it in one module itself: {}, {} ({} forward, {} backward).",
                        Printable(most->path, style.unicode),
                        FormatShare(Ratio(SelfOf(*most, device), look.whole)),
                        FormatDuration(device ? f.device_self_ns : f.host_self_ns, style.unicode),
                        FormatDuration(device ? b.device_self_ns : b.host_self_ns, style.unicode));
  }
  return text;
}

// What the paths of almost all modules begin with: that of the first module which has several
// below it, and a dot.
std::string CommonPrefix(const std::vector<ModuleRow>& rows) {
  size_t at = 0;
  while (at + 1 < rows.size() && !rows[at + 1].outside() && rows[at + 1].parent == at) {
    const auto second = std::find_if(
        rows.begin() + static_cast<std::ptrdiff_t>(at) + 2, rows.end(),
        [&](const ModuleRow& row) { return !row.outside() && row.depth <= rows[at + 1].depth; });
    if (second != rows.end()) return second->parent == at ? rows[at].path + "." : std::string();
    ++at;
  }
  return "";
}

std::string OrderOf(const Look& look, const ViewInput& input) {
  if (input.sort_field && look.shape != Shape::kTree)
    return fmt::format("by {}", *input.sort_field);
  if (look.shape != Shape::kTree) {
    return fmt::format("{}by their own {} time",
                       look.shape == Shape::kClasses ? "of each class, " : "",
                       look.device ? "device" : "CPU");
  }
  const std::optional<int64_t> depth = input.params.Integer("module-depth");
  return depth ? fmt::format("as they are called, to depth {}", *depth) : "as they are called";
}

Document Build(const ViewInput& input) {
  const std::shared_ptr<const ModuleReport> report = input.facts.Modules();
  Look look;
  if (input.params.Has("by-class")) {
    look.shape = Shape::kClasses;
  } else if (input.params.Has("by-layer") || input.sort_field) {
    look.shape = Shape::kLayers;
  }
  look.device = report->device_ns > 0;
  look.whole = look.device ? report->device_ns : report->host_ns;
  if (look.shape == Shape::kLayers) look.prefix = CommonPrefix(report->rows);
  std::vector<ModuleRow> rows =
      look.shape == Shape::kClasses ? ModulesByClass(*report) : report->rows;
  if (look.shape != Shape::kTree) {
    SortRows(rows, ModuleTable(),
             input.sort_field.value_or(look.device ? "device_self_ns" : "host_self_ns"));
  } else if (const std::optional<int64_t> depth = input.params.Integer("module-depth")) {
    std::erase_if(rows, [&](const ModuleRow& row) { return int64_t{row.depth} >= *depth; });
  }
  const bool backward = std::any_of(rows.begin(), rows.end(), [](const ModuleRow& row) {
    return row.backward.operators > 0 || row.backward.device_self_ns > 0;
  });

  Document document("Modules", [report, look](const OutputStyle& style) {
    return Sentence(*report, look, style);
  });
  const bool captured = !report->rows.empty();
  if (!captured) document.SetEmpty();
  document.AddField("host_ns", captured ? FieldValue(report->host_ns) : FieldValue());
  document.AddField("device_ns", captured ? FieldValue(report->device_ns) : FieldValue());
  // Beside the document's own sentence, which is about a device where there is one.
  Look host = look;
  host.device = false;
  host.whole = report->host_ns;
  document.AddField("host_sentence",
                    captured ? FieldValue(Sentence(*report, host, {})) : FieldValue());
  document.AddTable("rows", TableOf(look, backward), std::move(rows),
                    {.title = "Modules",
                     .words =
                         [order = OrderOf(look, input), look](size_t shown, size_t count,
                                                              const OutputStyle& style) {
                           const std::string_view dot = style.unicode ? " · " : ", ";
                           std::string words = fmt::format("{}{}{} of {}", order, dot,
                                                           CountShown(count, shown), count);
                           if (!look.prefix.empty())
                             words += fmt::format("{}{} is {}", dot, style.unicode ? "…" : "...",
                                                  Printable(look.prefix, style.unicode));
                           return words;
                         },
                     .usual_rows = 60,
                     .main = true});
  return document;
}

}  // namespace

ViewSpec DescribeModules() {
  return {.name = "modules",
          .help = "time by module, forward and backward, as a tree or a flat table",
          .needs = {.part = "modules", .words = "Needs with_stack=True."},
          .sort_fields = ModuleTable().keys(),
          .params = {{.name = "by-layer", .help = "modules: a flat table that sums to the whole"},
                     {.name = "by-class", .help = "modules: added up by class"},
                     {.name = "module-depth",
                      .type = ParamType::kInteger,
                      .value = "N",
                      .help = "modules: levels of the tree to show",
                      .least = 1}},
          .build = Build,
          .tables = [] {
            Look device;
            device.device = true;
            return std::vector{ForPage("MODULES_ON_DEVICE", "ModuleRow", TableOf(device, true)),
                               ForPage("MODULES_ON_HOST", "ModuleRow", TableOf({}, true))};
          }};
}

}  // namespace telltale
