// SPDX-License-Identifier: Apache-2.0
// The view `operators`: operators and annotations with their own and total times.
#include "views/operators/operators.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/answer.h"
#include "views/largest.h"
#include "views/page_causes.h"
#include "views/render/unit_column.h"
#include "views/torch_names.h"
#include "views/view_list.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

constexpr std::array<SortAlias, 11> kAliases = {{
    {"cpu_time_total", "host_total_ns"},
    {"self_cpu_time_total", "host_self_ns"},
    {"cpu_time", "host_mean_ns"},
    {"device_time_total", "device_total_ns"},
    {"self_device_time_total", "device_self_ns"},
    {"device_time", "device_mean_ns"},
    {"count", "calls"},
    {"cpu_memory_usage", "memory_total_bytes"},
    {"self_cpu_memory_usage", "memory_self_bytes"},
    {"device_memory_usage", "memory_total_bytes"},
    {"self_device_memory_usage", "memory_self_bytes"},
}};

int64_t Mean(int64_t total, uint64_t calls) {
  return total / static_cast<int64_t>(std::max<uint64_t>(calls, 1));
}

// A column that --sort knows and people see, but programs compute from its parts.
template <typename Row>
ColumnSpec<Row> Derived(ColumnSpec<Row> column) {
  column.for_programs = false;
  return column;
}

struct Facts {
  bool device = false;  // some operator launched work
  bool annotations = false;
  OperatorGrouping grouping = OperatorGrouping::kName;
  int64_t whole_ns = 0;         // own time of all work
  bool every_grouping = false;  // for the page: what is missing is not shown there
};

TableSpec<OperatorRow> OperatorTable(const Facts& facts) {
  using R = OperatorRow;
  constexpr int kAlways = Shown::kAlways;
  const auto if_device = [&](int with, int without) { return facts.device ? with : without; };
  const auto if_grouped = [&](OperatorGrouping by) {
    return facts.every_grouping || facts.grouping == by ? 95 : Shown::kNever;
  };
  const std::string_view main = facts.device ? "device_self_ns" : "host_self_ns";
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  ColumnSpec<R> bar;
  bar.key = "bar";
  bar.quantity = kBar;
  bar.shown = {.importance = 65, .of = main, .ink = facts.device ? Ink::kKernel : Ink::kCpu};
  bar.for_programs = false;
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = "operator", .importance = kAlways, .least_width = 30}),
      Field<R>(
          "kind", kText,
          [](const R& row) -> FieldValue {
            return std::string_view(row.kind == OperatorKind::kOperator ? "operator"
                                                                        : "annotation");
          },
          {.title = "kind", .importance = facts.annotations ? 35 : Shown::kNever, .ink = Ink::kDim})
          .Known(),
      Field<R>("input_shapes", kJson,
               [](const R& row) -> FieldValue {
                 return row.input_shapes ? FieldValue(JsonText{*row.input_shapes}) : FieldValue();
               },
               {.title = "input shapes",
                .importance = if_grouped(OperatorGrouping::kShape),
                .presence = Presence::kAnyValue}),
      Field("stack", kName, Get<&R::stack>,
            {.title = "stack, innermost first",
             .importance = if_grouped(OperatorGrouping::kStack),
             .least_width = 20,
             .presence = Presence::kAnyValue})
          .OnPage("Called from"),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 80}),
      Field("host_total_ns", kDuration, Get<&R::host_total_ns>,
            {.title = "CPU total", .importance = if_device(50, 70)})
          .NoSum()
          .WithHelp("time on the CPU, with everything inside"),
      Field("host_self_ns", kDuration, Get<&R::host_self_ns>,
            {.title = "CPU self", .importance = if_device(70, kAlways)})
          .WithHelp("time on the CPU outside of the operators and runtime calls inside it"),
      Field("device_total_ns", kDuration, Get<&R::device_total_ns>,
            {.title = "device total",
             .importance = if_device(60, Shown::kNever),
             .presence = Presence::kAnyNonZero})
          .NoSum()
          .WithHelp("of all that was launched inside it"),
      Field("device_self_ns", kDuration, Get<&R::device_self_ns>,
            {.title = "device self",
             .importance = if_device(kAlways, Shown::kNever),
             .presence = Presence::kAnyNonZero})
          .WithHelp("time of the kernels, copies and sets that the operator launched itself"),
      Field("memory_total_bytes", kBytes, Get<&R::memory_total_bytes>, {.title = "memory total"})
          .NoSum(),
      Field("memory_self_bytes", kBytes, Get<&R::memory_self_bytes>,
            {.title = "memory", .importance = 40, .presence = Presence::kAnyValue})
          .OnPage("Memory self")
          .WithHelp("allocated less freed by the operator itself"),
      Field("flops", kFlops, Get<&R::flops>, {.importance = 30, .presence = Presence::kAnyValue})
          .OnPage("Work")
          .WithHelp("floating-point operations (with_flops=True)"),
      Field("tensor_core_eligible", kFlag, Get<&R::tensor_core_eligible>),
      Field("tensor_core_self_share", kShare, Get<&R::tensor_core_self_share>,
            {.title = "tensor cores",
             .importance = if_device(45, Shown::kNever),
             .presence = Presence::kAnyValue})
          .WithHelp("share of its device time in kernels that use tensor (matrix) cores; empty "
                    "where none could"),
      Field("tensor_core_total_share", kShare, Get<&R::tensor_core_total_share>),
      Field<R>("work", kFlag, [](const R& row) -> FieldValue { return IsWork(row); }).Known(),
      Derived(
          Field<R>("host_mean_ns", kDuration,
                   [](const R& row) -> FieldValue { return Mean(row.host_total_ns, row.calls); },
                   {.title = "CPU mean", .importance = 25, .page = false})),
      Derived(Field<R>(
          "device_mean_ns", kDuration,
          [](const R& row) -> FieldValue { return Mean(row.device_total_ns, row.calls); })),
      PartOf<R>("share", main, {.title = "share", .importance = 90, .whole = facts.whole_ns}),
      std::move(bar),
      BarOf<R>("host_bar", "host_self_ns", {}),
  };
  spec.order = {"name", "kind", "input_shapes", "stack", "calls"};
  if (facts.device) {
    spec.order.insert(spec.order.end(), {"device_self_ns", "share", "bar", "device_total_ns",
                                         "host_self_ns", "host_total_ns"});
  } else {
    spec.order.insert(spec.order.end(), {"host_self_ns", "share", "bar", "host_total_ns"});
  }
  spec.order.insert(spec.order.end(),
                    {"host_mean_ns", "tensor_core_self_share", "memory_self_bytes", "flops"});
  return spec;
}

std::vector<std::string_view> SortFields() {
  std::vector<std::string_view> keys = OperatorTable({}).keys();
  keys.insert(keys.end(), {"host_mean_ns", "device_mean_ns"});
  return keys;
}

std::string Sentence(const Profile& profile, const OutputStyle& style) {
  std::vector<OperatorRow> rows;
  int64_t host = 0;
  int64_t device = 0;
  for (const OperatorRow& row : profile.report.operators) {
    if (!IsWork(row)) continue;
    rows.push_back(row);
    host += row.host_self_ns;
    device += row.device_self_ns;
  }
  if (rows.empty()) return "No operators in the trace. Add ProfilerActivity.CPU to activities.";
  const bool by_device = device > 0;
  std::string text =
      by_device
          ? fmt::format("The operators' kernels ran for {}", FormatDuration(device, style.unicode))
          : fmt::format("The operators took {} of CPU time", FormatDuration(host, style.unicode));
  text += LargestNames(
      rows, by_device ? device : host,
      [by_device](const OperatorRow& row) {
        return by_device ? row.device_self_ns : row.host_self_ns;
      },
      [](const OperatorRow& row) { return row.name; }, style);
  return text + "." +
         CauseSentence(profile, {CauseKind::kHostOperator, CauseKind::kUnevenWork}, style);
}

Document Build(const ViewInput& input) {
  const std::vector<OperatorRow>& rows = input.profile.report.operators;
  Facts facts;
  facts.grouping = input.profile.operator_grouping;
  std::vector<OperatorRow> work;
  for (const OperatorRow& row : rows) {
    facts.device |= row.device_self_ns > 0;
    if (IsWork(row)) work.push_back(row);
  }
  for (const OperatorRow& row : work) {
    facts.whole_ns += facts.device ? row.device_self_ns : row.host_self_ns;
    facts.annotations |= row.kind == OperatorKind::kAnnotation;
  }
  // A trace of annotations alone still has something to show.
  const bool hide = !work.empty() && work.size() < rows.size();

  Document document("Operators", [&profile = input.profile](const OutputStyle& style) {
    return Sentence(profile, style);
  });
  document.SetBare();
  if (rows.empty()) document.SetEmpty();
  const TablePlace place = {.title = "Operators",
                            .remark = input.sort_field ? fmt::format("by {}", *input.sort_field)
                                      : facts.device   ? "by their own device time"
                                                       : "by their own CPU time",
                            .main = true};
  if (!hide) {
    facts.annotations |= work.empty();
    document.AddRowsOfProfile("rows", OperatorTable(facts), rows, input.sort_field, place);
    return document;
  }
  if (input.sort_field) SortRows(work, OperatorTable(facts), *input.sort_field);
  TablePlace for_people = place;
  for_people.main = false;
  for_people.more = "annotations: --view annotations";
  document.AddTable("", OperatorTable(facts), std::move(work), for_people);
  document.AddRowsOfProfile("rows", OperatorTable(facts), rows, input.sort_field, {.main = true});
  return document;
}

}  // namespace

TableSpec<OperatorRow> OperatorColumns() { return OperatorTable({}); }

ViewSpec DescribeOperators() {
  ViewSpec spec;
  spec.name = "operators";
  spec.needs.part = "operators";
  spec.scope = ViewScope::kBasic;
  spec.long_table = true;
  spec.help = "operators and annotations with their own and total times";
  spec.sort_fields = SortFields();
  spec.sort_key = [](std::string_view text) {
    return SortFieldOf("operators", SortFields(), kAliases, text);
  };
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("OPERATORS", "OperatorRow",
                               OperatorTable({.device = true, .every_grouping = true}))};
  };
  return spec;
}

}  // namespace telltale
