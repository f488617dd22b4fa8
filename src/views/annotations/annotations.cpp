// SPDX-License-Identifier: Apache-2.0
// `--view annotations`: the user's own ranges. The analysis is analysis/core/annotations.h.
#include "analysis/core/annotations.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"
#include "views/rows.h"
#include "views/sections.h"

namespace telltale {

namespace {

using enum ColumnKind;

constexpr int64_t kRows = 30;  // of the table, unless a limit is given

// What the fields of a row need beside the row: set before rows are written.
struct ShownRow : AnnotationRow {
  std::optional<double> step_share;
  std::optional<double> device_share;
  bool tree = false;
  bool has_device_lane = false;
};

std::string_view SortName(const ShownRow& row) { return row.name; }

const RowFields<ShownRow>& AnnotationFields() {
  static const RowFields<ShownRow> fields = {
      {"name", [](const ShownRow& r) { return FieldValue(std::string_view(r.name)); }},
      {"depth",
       [](const ShownRow& r) { return r.tree ? FieldValue(int64_t{r.depth}) : FieldValue(); }},
      {"parent",
       [](const ShownRow& r) { return r.parent ? FieldValue(int64_t{*r.parent}) : FieldValue(); }},
      {"calls", [](const ShownRow& r) { return FieldValue(r.calls); }},
      {"host_total_ns", [](const ShownRow& r) { return FieldValue(r.host_total_ns); }},
      {"host_self_ns", [](const ShownRow& r) { return FieldValue(r.host_self_ns); }},
      {"device_total_ns", [](const ShownRow& r) { return FieldValue(r.device_total_ns); }},
      {"device_self_ns", [](const ShownRow& r) { return FieldValue(r.device_self_ns); }},
      {"min_ns", [](const ShownRow& r) { return FieldValue(r.min_ns); }},
      {"mean_ns",
       [](const ShownRow& r) {
         return FieldValue(Mean(r.host_total_ns, static_cast<int64_t>(r.calls)));
       }},
      {"max_ns", [](const ShownRow& r) { return FieldValue(r.max_ns); }},
      {"first_start_ns",
       [](const ShownRow& r) { return r.calls > 0 ? FieldValue(r.first_start_ns) : FieldValue(); }},
      {"step_share",
       [](const ShownRow& r) { return r.step_share ? FieldValue(*r.step_share) : FieldValue(); }},
      {"device_share",
       [](const ShownRow& r) {
         return r.device_share ? FieldValue(*r.device_share) : FieldValue();
       }},
      {"device_lane_calls",
       [](const ShownRow& r) {
         return r.has_device_lane ? FieldValue(r.device_lane_calls) : FieldValue();
       }},
      {"device_lane_ns",
       [](const ShownRow& r) {
         return r.has_device_lane ? FieldValue(r.device_lane_ns) : FieldValue();
       }},
  };
  return fields;
}

class AnnotationsView final : public Section {
 public:
  AnnotationsView(const AnnotationReport& report, AnnotationShape shape, std::string order)
      : tree_(shape == AnnotationShape::kTree), order_(std::move(order)), report_(report) {
    for (const AnnotationRow& row : report.rows) {
      ShownRow shown{row, std::nullopt, std::nullopt, tree_, report.has_device_lane && !tree_};
      if (report.steps_ns > 0) shown.step_share = Ratio(row.in_steps_ns, report.steps_ns);
      if (report.device_ns > 0) shown.device_share = Ratio(row.device_total_ns, report.device_ns);
      rows_.push_back(std::move(shown));
    }
  }
  void Sort(std::string_view field) { SortRows(rows_, AnnotationFields(), field); }

  void WriteJson(RowRange range, JsonWriter& json) const override {
    json.BeginObject();
    json.Field("tree", tree_);
    WriteJsonRows("rows", rows_, AnnotationFields(), range, json);
    json.EndObject();
  }
  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(rows_, AnnotationFields(), limit, output);
  }
  [[nodiscard]] size_t rows() const override { return rows_.size(); }
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override;
  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override;

 private:
  [[nodiscard]] std::string Rows(size_t count, const OutputStyle& style) const;

  bool tree_;
  std::string order_;
  AnnotationReport report_;
  std::vector<ShownRow> rows_;
};

// The largest range that is no step.
std::string AnnotationsView::Answer(const OutputStyle& style) const {
  if (rows_.empty()) {
    return "No ranges in the trace. Wrap parts of the program in "
           "torch.profiler.record_function(\"name\").";
  }
  // By device time, where any range but the steps has some.
  const bool device = std::any_of(rows_.begin(), rows_.end(), [](const ShownRow& row) {
    return row.device_total_ns > 0 && row.name != "ProfilerStep*";
  });
  const ShownRow* most = nullptr;
  for (const ShownRow& row : rows_) {
    if (row.name == "ProfilerStep*" || row.calls == 0) continue;
    const auto time = [device](const ShownRow& r) {
      return device ? r.device_total_ns : r.host_total_ns;
    };
    if (most == nullptr || time(row) > time(*most)) most = &row;
  }
  if (most == nullptr) return "The only ranges are the steps.";
  std::string text =
      fmt::format("{} takes the most: {} on the CPU", Printable(most->name, style.unicode),
                  FormatDuration(most->host_total_ns, style.unicode));
  if (most->step_share && *most->step_share > 0)
    text += fmt::format(" ({} of the steps)", FormatShare(*most->step_share, 0));
  if (device) {
    text += fmt::format(", {} on the device ({} of its work)",
                        FormatDuration(most->device_total_ns, style.unicode),
                        FormatShare(most->device_share.value_or(0), 0));
  }
  return text + fmt::format(", in {} call{}.", FormatCount(static_cast<int64_t>(most->calls)),
                            most->calls == 1 ? "" : "s");
}

std::string AnnotationsView::Rows(size_t count, const OutputStyle& style) const {
  const auto duration = [&](std::string_view title, auto get) {
    return Durations(
        title, rows_, count, [get](const ShownRow& r) { return std::optional(get(r)); }, style);
  };
  const UnitColumn total = duration("CPU total", [](const ShownRow& r) { return r.host_total_ns; });
  const UnitColumn self = duration("CPU self", [](const ShownRow& r) { return r.host_self_ns; });
  const UnitColumn device =
      duration("device total", [](const ShownRow& r) { return r.device_total_ns; });
  const UnitColumn device_self =
      duration("device self", [](const ShownRow& r) { return r.device_self_ns; });
  const UnitColumn least = duration("min", [](const ShownRow& r) { return r.min_ns; });
  const UnitColumn mean = duration("mean", [](const ShownRow& r) {
    return Mean(r.host_total_ns, static_cast<int64_t>(r.calls));
  });
  const UnitColumn most = duration("max", [](const ShownRow& r) { return r.max_ns; });
  const bool any_device = report_.device_ns > 0;
  const bool steps = report_.steps_ns > 0;
  std::vector<TableColumn> columns = {{"range", kName, TableColumn::kAlways, 24},
                                      {"calls", kNumber, 80},
                                      {total.Header(), kNumber}};
  if (steps) columns.push_back({"of steps", kNumber, 90});
  columns.push_back({"", kBar, 45});
  columns.push_back({self.Header(), kNumber, 70});
  if (any_device) {
    columns.push_back({device.Header(), kNumber, 95});
    columns.push_back({device_self.Header(), kNumber, 65});
  }
  columns.push_back({least.Header(), kNumber, 30});
  columns.push_back({mean.Header(), kNumber, 60});
  columns.push_back({most.Header(), kNumber, 50});
  Table table(std::move(columns));
  int64_t longest = 0;
  for (size_t i = 0; i < count; ++i) longest = std::max(longest, rows_[i].host_total_ns);
  for (size_t i = 0; i < count; ++i) {
    const ShownRow& row = rows_[i];
    // Deeper than this, the indentation would be all there is.
    const size_t indent = tree_ ? 2 * std::min<size_t>(row.depth, 12) : 0;
    std::vector<TableCell> cells = {std::string(indent, ' ') + Printable(row.name, style.unicode),
                                    FormatCount(static_cast<int64_t>(row.calls)),
                                    total.Cell(row.host_total_ns)};
    if (steps) cells.emplace_back(ShareOrMissing(row.step_share, style));
    cells.push_back(TableCell::Bar(Ratio(row.host_total_ns, longest), Ink::kCpu));
    cells.emplace_back(self.Cell(row.host_self_ns));
    if (any_device) {
      cells.emplace_back(device.Cell(row.device_total_ns));
      cells.emplace_back(device_self.Cell(row.device_self_ns));
    }
    cells.emplace_back(least.Cell(row.min_ns));
    cells.emplace_back(mean.Cell(Mean(row.host_total_ns, static_cast<int64_t>(row.calls))));
    cells.emplace_back(most.Cell(row.max_ns));
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

std::string AnnotationsView::Text(std::optional<int64_t> limit, const OutputStyle& style) const {
  std::string out;
  const auto say = [&](std::string_view text, size_t indent, Ink ink) {
    for (const std::string& line : Wrap(text, style.width - indent))
      out += std::string(indent, ' ') + Paint(ink, line, style) + "\n";
  };
  if (rows_.empty()) {
    out = Heading("Annotations", "", style);
    say(Answer(style), 2, Ink::kPlain);
    return out;
  }
  say(Answer(style), 0, Ink::kBold);
  const size_t count = Limited(rows_.size(), limit.value_or(kRows));
  std::string remark = order_;
  if (count < rows_.size())
    remark += fmt::format("{}{} of {}", style.unicode ? " · " : ", ", count, rows_.size());
  out += "\n" + Heading("Annotations", remark, style) + Rows(count, style);
  return out;
}

Result<void> Check(const Arguments& arguments) {
  if (arguments.Text("view") == "annotations" && arguments.Has("tree") && arguments.Has("sort"))
    return Fail(ErrorCode::kUsage, "--tree has an order of its own; leave out --sort or --tree");
  return {};
}

std::unique_ptr<Section> Make(const SectionInput& input) {
  const AnnotationShape shape =
      input.arguments.Has("tree") ? AnnotationShape::kTree : AnnotationShape::kFlat;
  std::vector<AnnotationReport> reports;
  for (const TraceContext& context : input.traces)
    reports.push_back(DescribeAnnotations(context, shape));
  std::string order = shape == AnnotationShape::kTree ? "as they nest, by CPU time" : "by CPU time";
  if (input.sort_field) order = "by " + *input.sort_field;
  auto section = std::make_unique<AnnotationsView>(
      reports.size() == 1 ? std::move(reports[0]) : MergeAnnotations(reports, shape), shape,
      std::move(order));
  if (input.sort_field) section->Sort(*input.sort_field);
  return section;
}

}  // namespace

// --tree is an option of the functions section, too, and stands there.
SectionSpec AnnotationsSection() {
  return {.name = "annotations",
          .help = "your own ranges (record_function): CPU and device time, nesting",
          .sort_fields = FieldNames(AnnotationFields()),
          .check = Check,
          .make = Make};
}

}  // namespace telltale
