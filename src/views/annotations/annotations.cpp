// SPDX-License-Identifier: Apache-2.0
// `--view annotations`: the user's own ranges. The analysis is analysis/core/annotations.h.
#include "analysis/core/annotations.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "views/lane_parts.h"
#include "views/page_causes.h"
#include "views/render/display.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

constexpr std::string_view kSteps = "ProfilerStep*";

struct ShownRow : AnnotationRow {
  std::optional<double> step_share;
  std::optional<double> device_share;
  bool tree = false;
  bool has_device_lane = false;
};

template <auto kMember>
FieldValue DeviceLane(const ShownRow& row) {
  return row.has_device_lane ? Get<ShownRow, kMember>(row) : FieldValue();
}

TableSpec<ShownRow> AnnotationTable() {
  using R = ShownRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  spec.columns = {
      Field("name", kName, Get<R, &R::name>,
            {.title = "range", .importance = kAlways, .least_width = 24})
          .OnPage("Annotation")
          .WithText([](const R& row, const OutputStyle& style) {
            // Deeper than this, the indentation would be all there is.
            const size_t indent = row.tree ? 2 * std::min<size_t>(row.depth, 12) : 0;
            return std::string(indent, ' ') + Printable(row.name, style.unicode);
          }),
      Field<R>("depth", kCount,
               [](const R& row) { return row.tree ? Get<R, &R::depth>(row) : FieldValue(); }),
      Field("parent", kId, Get<R, &R::parent>),
      Field("calls", kCount, Get<R, &R::calls>, {.title = "calls", .importance = 80}),
      Field("host_total_ns", kDuration, Get<R, &R::host_total_ns>,
            {.title = "CPU total", .importance = kAlways})
          .NoSum(),
      BarOf<R>("host_bar", "host_total_ns", {.importance = 45, .ink = Ink::kCpu}),
      Field("host_self_ns", kDuration, Get<R, &R::host_self_ns>,
            {.title = "CPU self", .importance = 70})
          .WithHelp("without the ranges inside"),
      Field("device_total_ns", kDuration, Get<R, &R::device_total_ns>,
            {.title = "device total", .importance = 95, .presence = Presence::kAnyNonZero})
          .NoSum()
          .WithHelp("of what was launched inside"),
      Field("device_self_ns", kDuration, Get<R, &R::device_self_ns>,
            {.title = "device self", .importance = 65, .presence = Presence::kAnyNonZero}),
      BarOf<R>("device_bar", "device_total_ns", {}),
      Field("min_ns", kDuration, Get<R, &R::min_ns>, {.title = "min", .importance = 30})
          .NoSum()
          .OnPage("Shortest"),
      Field<R>("mean_ns", kDuration,
               [](const R& row) -> FieldValue {
                 return Mean(row.host_total_ns, static_cast<int64_t>(row.calls));
               },
               {.title = "mean", .importance = 60})
          .Known()
          .NoSum(),
      Field("max_ns", kDuration, Get<R, &R::max_ns>, {.title = "max", .importance = 50})
          .NoSum()
          .OnPage("Longest"),
      Field<R>("first_start_ns", kMoment,
               [](const R& row) {
                 return row.calls > 0 ? Get<R, &R::first_start_ns>(row) : FieldValue();
               }),
      Field("step_share", kShare, Get<R, &R::step_share>,
            {.title = "of steps", .importance = 90, .presence = Presence::kAnyValue})
          .WithHelp("share of all steps' time"),
      BarOf<R>("step_bar", "step_share", {}),
      Field("device_share", kShare, Get<R, &R::device_share>,
            {.title = "of the device",
             .importance = 60,
             .presence = Presence::kAnyNonZero,
             .terminal = false})
          .WithHelp("share of all device time"),
      Field("device_lane_calls", kCount, DeviceLane<&R::device_lane_calls>),
      Field("device_lane_ns", kDuration, DeviceLane<&R::device_lane_ns>),
  };
  spec.order = {"name",           "calls",        "host_total_ns",   "step_share",
                "host_bar",       "host_self_ns", "device_total_ns", "device_share",
                "device_self_ns", "min_ns",       "mean_ns",         "max_ns"};
  return spec;
}

// The largest range that is no step.
std::string Sentence(const std::vector<ShownRow>& rows, const Profile& profile,
                     const OutputStyle& style) {
  if (rows.empty()) {
    return "No ranges in the trace. Wrap parts of the program in "
           "torch.profiler.record_function(\"name\").";
  }
  // By device time, where any range but the steps has some.
  const bool device = std::any_of(rows.begin(), rows.end(), [](const ShownRow& row) {
    return row.device_total_ns > 0 && row.name != kSteps;
  });
  const auto time = [device](const ShownRow& row) {
    return device ? row.device_total_ns : row.host_total_ns;
  };
  const ShownRow* most = nullptr;
  for (const ShownRow& row : rows) {
    if (row.name == kSteps || row.calls == 0) continue;
    if (most == nullptr || time(row) > time(*most)) most = &row;
  }
  if (most == nullptr) return "The only ranges are the steps.";
  std::string text =
      fmt::format("{} takes the most: ", most->name.empty() ? "A range without a name"
                                                            : NameInSentence(most->name, style));
  if (device) {
    text += fmt::format("{} on the device ({} of its work), ",
                        FormatDuration(most->device_total_ns, style.unicode),
                        FormatShare(most->device_share.value_or(0), 0));
  }
  text += fmt::format("{} on the CPU", FormatDuration(most->host_total_ns, style.unicode));
  if (most->step_share && *most->step_share > 0)
    text += fmt::format(" ({} of the steps)", FormatShare(*most->step_share, 0));
  text += fmt::format(", in {}.", Plural(most->calls, "call"));
  // A range without which a step would be shorter.
  const Cause* const cause = FirstCauseIf(profile, [&](const Cause& one) {
    return std::ranges::find(rows, one.what, &ShownRow::name) != rows.end();
  });
  return text + CauseSentence(profile, cause, style);
}

Document Build(const ViewInput& input) {
  const bool tree = input.params.Has("tree");
  const AnnotationShape shape = tree ? AnnotationShape::kTree : AnnotationShape::kFlat;
  std::vector<AnnotationReport> reports;
  for (const TraceContext& context : input.traces)
    reports.push_back(DescribeAnnotations(context, shape));
  const AnnotationReport report =
      reports.size() == 1 ? std::move(reports[0]) : MergeAnnotations(reports, shape);
  std::vector<ShownRow> rows;
  for (const AnnotationRow& row : report.rows) {
    ShownRow shown{row, std::nullopt, std::nullopt, tree, report.has_device_lane && !tree};
    if (report.steps_ns > 0) shown.step_share = Ratio(row.in_steps_ns, report.steps_ns);
    if (report.device_ns > 0) shown.device_share = Ratio(row.device_total_ns, report.device_ns);
    rows.push_back(std::move(shown));
  }
  TableSpec<ShownRow> table = AnnotationTable();
  if (report.device_ns == 0) table.Hide({"device_total_ns", "device_self_ns"});
  std::string order = tree ? "as they nest, by CPU time" : "by CPU time";
  if (input.sort_field) {
    SortRows(rows, table, *input.sort_field);
    order = "by " + *input.sort_field;
  }

  Document document("Annotations", [rows, &profile = input.profile](const OutputStyle& style) {
    return Sentence(rows, profile, style);
  });
  document.SetSentenceInk(Ink::kBold);
  if (rows.empty()) document.SetEmpty();
  document.AddField("tree", tree);
  document.AddTable("rows", table, std::move(rows),
                    {.title = "Annotations", .remark = std::move(order), .main = true});
  return document;
}

Result<void> Check(const ParamValues& params) {
  if (params.Text("view") == "annotations" && params.Has("tree") && params.Has("sort"))
    return params.Wrong("tree", fmt::format("has an order of its own; leave out {} or {}",
                                            params.Spelled("sort"), params.Spelled("tree")));
  return {};
}

}  // namespace

// `tree` is a parameter of the functions view, too, and stands there.
ViewSpec DescribeAnnotations() {
  return {.name = "annotations",
          .help = "your own ranges (record_function): CPU and device time, nesting",
          .needs = {.part = "annotations",
                    .words = "Needs ranges of your own: with record_function(…)."},
          .sort_fields = AnnotationTable().keys(),
          .check = Check,
          .build = Build,
          .tables = [] {
            return std::vector{ForPage("ANNOTATIONS", "AnnotationRow", AnnotationTable())};
          }};
}

}  // namespace telltale
