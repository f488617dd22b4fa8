// SPDX-License-Identifier: Apache-2.0
// The view `steps`: every step with its eight categories of time.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/typical_step.h"
#include "views/answer.h"
#include "views/render/display.h"
#include "views/render/step_bar.h"
#include "views/render/unit_column.h"
#include "views/steps/other_inside.h"
#include "views/view_list.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

std::string_view TitleOf(StepCategory category) {
  switch (category) {
    case StepCategory::kKernel:
      return "Kernels";
    case StepCategory::kMemcpy:
      return "Memory copies";
    case StepCategory::kMemset:
      return "Memory sets";
    case StepCategory::kCommunication:
      return "Communication";
    case StepCategory::kRuntime:
      return "Runtime calls";
    case StepCategory::kDataloader:
      return "DataLoader";
    case StepCategory::kCpuExec:
      return "CPU operators";
    case StepCategory::kOther:
      break;
  }
  return "Other";
}

std::string_view MeaningOf(StepCategory category) {
  switch (category) {
    case StepCategory::kKernel:
      return "a compute kernel runs on the device";
    case StepCategory::kMemcpy:
      return "no kernel runs; memory is copied";
    case StepCategory::kMemset:
      return "no kernel or copy runs; memory is set";
    case StepCategory::kCommunication:
      return "only communication: NCCL, gloo and the like";
    case StepCategory::kRuntime:
      return "the device has nothing to do; the host is in a call of the CUDA (or ROCm …) runtime";
    case StepCategory::kDataloader:
      return "the device has nothing to do; the host waits for the DataLoader";
    case StepCategory::kCpuExec:
      return "the device has nothing to do; the host is in an operator";
    case StepCategory::kOther:
      break;
  }
  return "the device has nothing to do, and the host is in no operator: Python code, or waiting";
}

template <StepCategory kCategory>
ColumnSpec<StepRow> CategoryColumn() {
  ColumnSpec<StepRow> column =
      Field<StepRow>(NameOf(kCategory), kDuration,
                     [](const StepRow& row) -> FieldValue {
                       return row.categories[static_cast<size_t>(kCategory)];
                     },
                     // One unit for the whole table: the categories are parts of the duration.
                     {.title = std::string(LabelOf(kCategory)),
                      .importance = 90 - static_cast<int>(kCategory),
                      .presence = Presence::kAnyNonZero,
                      .unit_of = "duration_ns",
                      .with_unit = false,
                      .ink = InkOf(kCategory)});
  column.group = "categories";
  column.nullable = false;
  column.page_title = TitleOf(kCategory);
  column.help = MeaningOf(kCategory);
  return column;
}

// `longest`: of the complete steps, where there are several.
TableSpec<StepRow> StepTable(int64_t longest, bool several) {
  using R = StepRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  ColumnSpec<R> bar;
  bar.key = "duration_bar";
  bar.quantity = kBar;
  bar.shown = {.importance = 65, .of = "complete_ns", .ink = Ink::kOther};
  bar.for_programs = false;
  // What the bar compares: incomplete steps do not count.
  ColumnSpec<R> complete_time = Field<R>("complete_ns", kDuration, [](const R& row) -> FieldValue {
    return row.complete ? row.duration_ns : int64_t{0};
  });
  complete_time.for_programs = false;
  ColumnSpec<R> mark;
  mark.key = "mark";
  mark.shown = {.importance = kAlways, .ink = Ink::kDim};
  mark.for_programs = false;
  mark.text = [longest, several](const R& row, const OutputStyle&) -> std::string {
    if (!row.complete) return "incomplete";
    return several && row.duration_ns == longest ? "slowest" : "";
  };
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = "step", .importance = kAlways, .least_width = 6}),
      Field("start_ns", kMoment, Get<&R::start_ns>,
            {.title = "starts at", .importance = 50, .terminal = false}),
      Field("duration_ns", kDuration, Get<&R::duration_ns>,
            {.title = "duration", .importance = kAlways}),
      Field("complete", kFlag, Get<&R::complete>,
            {.title = "complete", .importance = 65, .terminal = false})
          .WithHelp("a last step that the capture cut off is no part of averages"),
      std::move(bar),
      BarOf<R>("page_bar", "duration_ns", {}),
      CategoryColumn<StepCategory::kKernel>(),
      CategoryColumn<StepCategory::kMemcpy>(),
      CategoryColumn<StepCategory::kMemset>(),
      CategoryColumn<StepCategory::kCommunication>(),
      CategoryColumn<StepCategory::kRuntime>(),
      CategoryColumn<StepCategory::kDataloader>(),
      CategoryColumn<StepCategory::kCpuExec>(),
      CategoryColumn<StepCategory::kOther>(),
      Field("range_ns", kDuration, Get<&R::range_ns>,
            {.title = "own range", .importance = 42, .terminal = false})
          .NoSum()
          .WithHelp("how long the step's range on the host takes"),
      Field("starts_late_ns", kDuration, Get<&R::starts_late_ns>,
            {.title = "starts late", .importance = 43, .presence = Presence::kAnyNonZero})
          .NoSum()
          .WithHelp("the step begins so much after its range: work of before was not done"),
      Field("ends_late_ns", kDuration, Get<&R::ends_late_ns>,
            {.title = "ends late", .importance = 44, .presence = Presence::kAnyNonZero})
          .NoSum()
          .WithHelp("the step ends so much after its range: its device work goes on"),
      Field("device_events", kCount, Get<&R::device_events>,
            {.title = "device events", .importance = 45, .terminal = false}),
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = 60,
             .least_width = 8,
             .presence = Presence::kSeveralFiles})
          .OnPage("Rank"),
      std::move(mark),
      std::move(complete_time),
  };
  spec.order = {"file",           "name",         "start_ns", "duration_ns",   "duration_bar",
                "kernel",         "memcpy",       "memset",   "communication", "runtime",
                "dataloader",     "cpu_exec",     "other",    "device_events", "range_ns",
                "starts_late_ns", "ends_late_ns", "complete", "mark"};
  return spec;
}

// How even the steps are, and where the time of the slowest goes.
std::string Sentence(const Profile& profile, const OutputStyle& style) {
  constexpr double kUneven = 0.05;
  const StepReport& steps = profile.report.steps;
  const auto time = [&](int64_t ns) { return FormatDuration(ns, style.unicode); };
  if (steps.rows.empty()) return "The trace has no host or device events, so there is no step.";
  const StepRow* typical = TypicalStep(steps);
  if (typical == nullptr)
    return fmt::format("{}, none complete.", Plural(steps.rows.size(), "step"));
  size_t complete = 0;
  const StepRow* fastest = typical;
  const StepRow* slowest = typical;
  for (const StepRow& row : steps.rows) {
    if (!row.complete) continue;
    ++complete;
    if (row.duration_ns < fastest->duration_ns) fastest = &row;
    if (row.duration_ns > slowest->duration_ns) slowest = &row;
  }
  if (complete == 1) return Answer(profile, style.unicode);
  std::string text =
      fmt::format("{} steps of {} (median)", FormatCount(static_cast<int64_t>(complete)),
                  time(typical->duration_ns));
  // What made it slow shows against a step of the same rank.
  const StepRow& usual = *TypicalStep(steps, slowest->file);
  if (Ratio(slowest->duration_ns - fastest->duration_ns, typical->duration_ns) < kUneven) {
    text += fmt::format(", all within {} of each other", FormatShare(kUneven, 0));
  } else if (Ratio(slowest->duration_ns - usual.duration_ns, usual.duration_ns) < kUneven) {
    text += fmt::format(", from {} to {}", time(fastest->duration_ns), time(slowest->duration_ns));
  } else {
    const auto more = [&](size_t c) { return slowest->categories[c] - usual.categories[c]; };
    size_t cause = 0;
    for (size_t c = 1; c < kStepCategoryCount; ++c) {
      if (more(c) > more(cause)) cause = c;
    }
    text += fmt::format("; the slowest, {}, takes {}: {} more than usual in {}",
                        NameInSentence(slowest->name, style), time(slowest->duration_ns),
                        time(more(cause)), WordsFor(static_cast<StepCategory>(cause)));
  }
  if (const std::string range = RangeWords(steps, style.unicode); !range.empty())
    text += "; of an average one, " + range;
  if (complete < steps.rows.size())
    text += fmt::format("; {} more incomplete", steps.rows.size() - complete);
  return text + ".";
}

Document Build(const ViewInput& input) {
  const StepReport& steps = input.profile.report.steps;
  int64_t longest = 0;
  bool any_complete = false;
  for (const StepRow& row : steps.rows) {
    any_complete |= row.complete;
    if (row.complete) longest = std::max(longest, row.duration_ns);
  }
  const TableSpec<StepRow> spec = StepTable(longest, steps.rows.size() > 1);

  Document document("Steps", [&profile = input.profile](const OutputStyle& style) {
    return Sentence(profile, style);
  });
  if (steps.rows.empty()) document.SetEmpty();
  document.SetLabels(FileLabels(input.profile));
  document.AddField("source", NameOf(steps.source));
  document.AddField("average_ns", any_complete ? FieldValue(steps.average_ns) : FieldValue());
  document.AddField("range_ns", steps.range_ns ? FieldValue(*steps.range_ns) : FieldValue());
  document.AddField("starts_late_ns", steps.starts_late_ns);
  document.AddField("ends_late_ns", steps.ends_late_ns);
  // Where the rows are as they come, its place among them.
  const StepRow* typical = input.sort_field ? nullptr : TypicalStep(steps);
  document.AddField("typical",
                    typical == nullptr ? FieldValue() : FieldValue(typical - steps.rows.data()));
  document.AddJson("categories", [&steps, any_complete](RowRange, JsonWriter& json) {
    json.BeginObject();
    for (size_t c = 0; c < kStepCategoryCount; ++c) {
      json.Field(NameOf(static_cast<StepCategory>(c)),
                 any_complete ? std::optional(steps.average[c]) : std::nullopt);
    }
    json.EndObject();
  });
  const TablePlace place = {.title = "Steps",
                            .remark = input.sort_field
                                          ? fmt::format("by {}", *input.sort_field)
                                          : fmt::format("from {}", NameOf(steps.source)),
                            .main = true};
  document.AddRowsOfProfile("rows", spec, steps.rows, input.sort_field, place);
  document.AddBorrowedTable<OtherRow>(
      "other_inside", OtherTable(), OtherRows(steps),
      {.title = "What other is", .remark = "in an average step", .usual_rows = 10});
  return document;
}

}  // namespace

ViewSpec DescribeSteps() {
  ViewSpec spec;
  spec.name = "steps";
  spec.scope = ViewScope::kBasic;
  spec.help = "every step with its eight categories of time";
  spec.sort_fields = StepTable(0, false).keys();
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("STEPS", "StepRow", StepTable(0, false)),
                       ForPage("OTHER_INSIDE", "OtherRow", OtherTable())};
  };
  return spec;
}

}  // namespace telltale
