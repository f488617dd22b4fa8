// SPDX-License-Identifier: Apache-2.0
// The view `modules`: time by module as a tree, as a flat table (--by-layer), or by class
// (--by-class).
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/modules/modules.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"
#include "views/rows.h"
#include "views/sections.h"

namespace telltale {

inline std::string_view SortName(const ModuleRow& row) { return row.path; }

namespace {

using enum ColumnKind;

constexpr size_t kTextRows = 60;

enum class Shape : uint8_t { kTree, kLayers, kClasses };

template <typename T>
FieldValue OrMissing(const std::optional<T>& value) {
  return value ? FieldValue(*value) : FieldValue();
}

// Totals of classes would count nested modules of one class twice: they are not shown.
const RowFields<ModuleRow>& ModuleFields(bool classes) {
  static const RowFields<ModuleRow> places = {
      {"path", [](const ModuleRow& r) -> FieldValue { return std::string_view(r.path); }},
      {"name", [](const ModuleRow& r) -> FieldValue { return std::string_view(r.name); }},
      {"class",
       [](const ModuleRow& r) -> FieldValue {
         return r.outside() ? FieldValue() : FieldValue(std::string_view(r.class_name));
       }},
      {"module_id", [](const ModuleRow& r) { return OrMissing(r.module_id); }},
      {"depth", [](const ModuleRow& r) -> FieldValue { return uint64_t{r.depth}; }},
      {"calls", [](const ModuleRow& r) -> FieldValue { return r.calls; }},
      {"recomputed_calls", [](const ModuleRow& r) -> FieldValue { return r.recomputed_calls; }},
      {"host_total_ns", [](const ModuleRow& r) -> FieldValue { return r.host_total_ns; }},
      {"host_self_ns", [](const ModuleRow& r) -> FieldValue { return r.host_self_ns; }},
      {"device_total_ns", [](const ModuleRow& r) -> FieldValue { return r.device_total_ns; }},
      {"device_self_ns", [](const ModuleRow& r) -> FieldValue { return r.device_self_ns; }},
      {"forward_operators", [](const ModuleRow& r) -> FieldValue { return r.forward.operators; }},
      {"forward_host_total_ns",
       [](const ModuleRow& r) -> FieldValue { return r.forward.host_total_ns; }},
      {"forward_host_self_ns",
       [](const ModuleRow& r) -> FieldValue { return r.forward.host_self_ns; }},
      {"forward_frame_self_ns",
       [](const ModuleRow& r) -> FieldValue { return r.forward.frame_self_ns; }},
      {"forward_device_total_ns",
       [](const ModuleRow& r) -> FieldValue { return r.forward.device_total_ns; }},
      {"forward_device_self_ns",
       [](const ModuleRow& r) -> FieldValue { return r.forward.device_self_ns; }},
      {"backward_operators", [](const ModuleRow& r) -> FieldValue { return r.backward.operators; }},
      {"backward_host_total_ns",
       [](const ModuleRow& r) -> FieldValue { return r.backward.host_total_ns; }},
      {"backward_host_self_ns",
       [](const ModuleRow& r) -> FieldValue { return r.backward.host_self_ns; }},
      {"backward_frame_self_ns",
       [](const ModuleRow& r) -> FieldValue { return r.backward.frame_self_ns; }},
      {"backward_device_total_ns",
       [](const ModuleRow& r) -> FieldValue { return r.backward.device_total_ns; }},
      {"backward_device_self_ns",
       [](const ModuleRow& r) -> FieldValue { return r.backward.device_self_ns; }},
  };
  static const RowFields<ModuleRow> of_classes = [] {
    RowFields<ModuleRow> fields;
    for (const RowField<ModuleRow>& field : places) {
      const std::string_view name = field.name;
      const bool of_a_place = name == "path" || name == "module_id" || name == "depth";
      if (!of_a_place && name.find("_total_") == std::string_view::npos) fields.push_back(field);
    }
    return fields;
  }();
  return classes ? of_classes : places;
}

class ModuleSection final : public Section {
 public:
  explicit ModuleSection(const SectionInput& input)
      : sort_field_(input.sort_field), report_(*input.facts.Modules()) {
    if (input.arguments.Has("by-class")) {
      shape_ = Shape::kClasses;
    } else if (input.arguments.Has("by-layer") || sort_field_) {
      shape_ = Shape::kLayers;
    }
    device_ = report_.device_ns > 0;
    if (shape_ == Shape::kLayers) prefix_ = CommonPrefix();
    rows_ = shape_ == Shape::kClasses ? ModulesByClass(report_) : report_.rows;
    depth_ = input.arguments.Integer("module-depth");
    if (depth_ && shape_ == Shape::kTree) {
      std::erase_if(rows_, [&](const ModuleRow& row) { return int64_t{row.depth} >= *depth_; });
    }
    if (shape_ != Shape::kTree) {
      const std::string field = sort_field_.value_or(device_ ? "device_self_ns" : "host_self_ns");
      SortRows(rows_, ModuleFields(false), field);
    }
  }

  void WriteJson(RowRange range, JsonWriter& json) const override {
    json.BeginObject();
    const bool captured = !report_.rows.empty();
    json.Field("host_ns", captured ? std::optional(report_.host_ns) : std::nullopt);
    json.Field("device_ns", captured ? std::optional(report_.device_ns) : std::nullopt);
    WriteJsonRows("rows", rows_, ModuleFields(shape_ == Shape::kClasses), range, json);
    json.EndObject();
  }

  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(rows_, ModuleFields(shape_ == Shape::kClasses), limit, output);
  }

  [[nodiscard]] size_t rows() const override { return rows_.size(); }

  // What takes the most time, and how much of the whole the modules explain.
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    if (report_.rows.empty()) {
      return "The capture does not say which module an operator belongs to. torch.profiler records "
             "modules with with_stack=True (with_modules=True has no effect in eager mode); "
             "Lightning's PyTorchProfiler with record_module_names=True, its default.";
    }
    const int64_t whole = device_ ? report_.device_ns : report_.host_ns;
    int64_t inside = 0;
    const ModuleRow* most = nullptr;
    for (const ModuleRow& row : report_.rows) {
      if (row.outside()) continue;
      inside += SelfOf(row);
      if (most == nullptr || SelfOf(row) > SelfOf(*most)) most = &row;
    }
    const std::string_view what = device_ ? "device" : "CPU";
    std::string text = fmt::format(
        "Modules take {} of the {} time ({} of {}).", FormatShare(Ratio(inside, whole)), what,
        FormatDuration(inside, style.unicode), FormatDuration(whole, style.unicode));
    if (most != nullptr && SelfOf(*most) > 0) {
      const ModuleWork& f = most->forward;
      const ModuleWork& b = most->backward;
      text += fmt::format(
          " The most in one module itself: {}, {} ({} forward, {} backward).",
          Printable(most->path, style.unicode), FormatShare(Ratio(SelfOf(*most), whole)),
          FormatDuration(device_ ? f.device_self_ns : f.host_self_ns, style.unicode),
          FormatDuration(device_ ? b.device_self_ns : b.host_self_ns, style.unicode));
    }
    return text;
  }

  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override {
    if (report_.rows.empty()) return EmptyText(style);
    const size_t most = !limit ? kTextRows : *limit <= 0 ? 0 : static_cast<size_t>(*limit);
    const size_t count = CountShown(rows_.size(), most);
    std::string out;
    for (const std::string& line : Wrap(Answer(style), style.width)) out += line + "\n";
    out += "\n";
    out += Heading("Modules", Remark(count, style), style);
    return out + ModuleTableText(count, style);
  }

 private:
  [[nodiscard]] std::string EmptyText(const OutputStyle& style) const {
    std::string out = Heading("Modules", "", style);
    const std::string text = Answer(style);
    for (const std::string& line : Wrap(text, style.width > 2 ? style.width - 2 : 1)) {
      out += "  " + line + "\n";
    }
    return out;
  }

  [[nodiscard]] int64_t SelfOf(const ModuleRow& row) const {
    return device_ ? row.device_self_ns : row.host_self_ns;
  }

  [[nodiscard]] std::string Remark(size_t count, const OutputStyle& style) const {
    std::string order = "as they are called";
    if (shape_ != Shape::kTree) {
      order = sort_field_ ? fmt::format("by {}", *sort_field_)
                          : fmt::format("{}by their own {} time",
                                        shape_ == Shape::kClasses ? "of each class, " : "",
                                        device_ ? "device" : "CPU");
    } else if (depth_) {
      order += fmt::format(", to depth {}", *depth_);
    }
    const std::string_view dot = style.unicode ? " · " : ", ";
    std::string remark = fmt::format("{}{}{} of {}", order, dot, count, rows_.size());
    if (!prefix_.empty()) {
      remark += fmt::format("{}{} is {}", dot, style.unicode ? "…" : "...",
                            Printable(prefix_, style.unicode));
    }
    return remark;
  }

  [[nodiscard]] std::string ModuleTableText(size_t count, const OutputStyle& style) const {
    const bool tree = shape_ == Shape::kTree;
    const int64_t whole = device_ ? report_.device_ns : report_.host_ns;
    using Time = int64_t ModuleRow::*;
    using WorkTime = int64_t ModuleWork::*;
    const Time all = device_ ? (tree ? &ModuleRow::device_total_ns : &ModuleRow::device_self_ns)
                             : (tree ? &ModuleRow::host_total_ns : &ModuleRow::host_self_ns);
    const WorkTime phase = device_
                               ? (tree ? &ModuleWork::device_total_ns : &ModuleWork::device_self_ns)
                               : (tree ? &ModuleWork::host_total_ns : &ModuleWork::host_self_ns);
    const Time self = device_ ? &ModuleRow::device_self_ns : &ModuleRow::host_self_ns;
    const auto times = [&](auto get) {
      return Collect(rows_, count, [&](const ModuleRow& r) { return std::optional(get(r)); });
    };
    const std::string all_title =
        fmt::format("{} {}", device_ ? "device" : "CPU", tree ? "total" : "self");
    // One unit for what adds up.
    const ColumnUnit unit =
        DurationUnit(times([&](const ModuleRow& r) { return r.*all; }), style.unicode);
    const UnitColumn main(all_title, unit, style);
    const UnitColumn forward("forward", unit, style);
    const UnitColumn backward("backward", unit, style);
    const UnitColumn own("self", unit, style);
    const ColumnUnit host_unit =
        DurationUnit(times([](const ModuleRow& r) { return r.host_self_ns; }), style.unicode);
    const UnitColumn host("CPU self", host_unit, style);
    const UnitColumn frames("no operator", host_unit, style);
    const bool any_backward = std::any_of(rows_.begin(), rows_.end(), [](const ModuleRow& r) {
      return r.backward.operators > 0 || r.backward.device_self_ns > 0;
    });
    const bool recomputed = std::any_of(rows_.begin(), rows_.end(),
                                        [](const ModuleRow& r) { return r.recomputed_calls > 0; });
    int64_t most = 0;
    for (size_t i = 0; i < count; ++i) most = std::max(most, rows_[i].*all);

    std::vector<TableColumn> columns = {{"module", kName, TableColumn::kAlways, 28}};
    columns.push_back({"calls", kNumber, 80});
    if (recomputed) columns.push_back({"again", kNumber, 40});
    columns.push_back({main.Header(), kNumber});
    columns.push_back({"share", kNumber, 90});
    columns.push_back({"", kBar, 50});
    if (any_backward) {
      columns.push_back({forward.Header(), kNumber, 75});
      columns.push_back({backward.Header(), kNumber, 75});
    }
    if (tree) columns.push_back({own.Header(), kNumber, 70});
    if (device_) columns.push_back({host.Header(), kNumber, 60});
    columns.push_back({frames.Header(), kNumber, 30});
    columns.push_back({"operators", kNumber, 35});

    Table table(std::move(columns));
    for (size_t i = 0; i < count; ++i) {
      const ModuleRow& row = rows_[i];
      std::vector<TableCell> cells = {
          {NameCell(row, style), row.outside() ? Ink::kDim : Ink::kPlain}};
      cells.emplace_back(row.outside() ? "" : FormatCount(static_cast<int64_t>(row.calls)));
      if (recomputed) {
        cells.emplace_back(row.recomputed_calls == 0
                               ? ""
                               : FormatCount(static_cast<int64_t>(row.recomputed_calls)));
      }
      cells.emplace_back(main.Cell(row.*all));
      cells.emplace_back(FormatShare(Ratio(row.*all, whole)));
      cells.push_back(TableCell::Bar(Ratio(row.*all, most), device_ ? Ink::kKernel : Ink::kCpu));
      if (any_backward) {
        cells.emplace_back(forward.Cell(row.forward.*phase));
        cells.emplace_back(backward.Cell(row.backward.*phase));
      }
      if (tree) cells.emplace_back(own.Cell(row.*self));
      if (device_) cells.emplace_back(host.Cell(row.host_self_ns));
      cells.emplace_back(
          row.outside() ? "" : frames.Cell(row.forward.frame_self_ns + row.backward.frame_self_ns));
      cells.emplace_back(
          FormatCount(static_cast<int64_t>(row.forward.operators + row.backward.operators)));
      table.AddRow(std::move(cells));
    }
    return table.Render(style);
  }

  [[nodiscard]] std::string NameCell(const ModuleRow& row, const OutputStyle& style) const {
    if (shape_ != Shape::kTree) {
      const std::string_view path = row.path;
      const bool below = !prefix_.empty() && path.starts_with(prefix_);
      const std::string_view dots = style.unicode ? "…" : "...";
      return below
                 ? fmt::format("{}{}", dots, Printable(path.substr(prefix_.size()), style.unicode))
                 : Printable(path, style.unicode);
    }
    std::string name = Printable(row.name, style.unicode);
    if (!row.outside() && !row.name.starts_with(row.class_name)) {
      name += fmt::format(" ({})", Printable(row.class_name, style.unicode));
    }
    return std::string(2 * size_t{row.depth}, ' ') + name;
  }

  // What the paths of almost all modules begin with: that of the first module which has several
  // below it, and a dot. Flat tables leave it out.
  [[nodiscard]] std::string CommonPrefix() const {
    const std::vector<ModuleRow>& rows = report_.rows;
    size_t at = 0;
    while (at + 1 < rows.size() && !rows[at + 1].outside() && rows[at + 1].parent == at) {
      const auto second = std::find_if(
          rows.begin() + static_cast<std::ptrdiff_t>(at) + 2, rows.end(),
          [&](const ModuleRow& row) { return !row.outside() && row.depth <= rows[at + 1].depth; });
      if (second != rows.end()) {
        const bool sibling = second->parent == at;
        return sibling ? rows[at].path + "." : std::string();
      }
      ++at;
    }
    return "";
  }

  std::optional<std::string> sort_field_;
  ModuleReport report_;
  std::string prefix_;
  std::vector<ModuleRow> rows_;  // as shown
  Shape shape_ = Shape::kTree;
  std::optional<int64_t> depth_;
  bool device_ = false;
};

}  // namespace

SectionSpec ModulesSection() {
  return {.name = "modules",
          .help = "time by module, forward and backward, as a tree or a flat table",
          .sort_fields = FieldNames(ModuleFields(false)),
          .options = {{.name = "by-layer", .help = "modules: a flat table that sums to the whole"},
                      {.name = "by-class", .help = "modules: added up by class"},
                      {.name = "module-depth",
                       .type = OptionType::kInteger,
                       .value = "N",
                       .help = "modules: levels of the tree to show",
                       .least = 1}},
          .make = [](const SectionInput& input) -> std::unique_ptr<Section> {
            return std::make_unique<ModuleSection>(input);
          }};
}

}  // namespace telltale
