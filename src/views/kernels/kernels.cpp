// SPDX-License-Identifier: Apache-2.0
// The view `kernels`: what ran on the devices.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/largest.h"
#include "views/page_causes.h"
#include "views/torch_names.h"
#include "views/view_list.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

constexpr std::array<SortAlias, 4> kAliases = {{
    {"device_time_total", "total_ns"},
    {"self_device_time_total", "total_ns"},
    {"device_time", "mean_ns"},
    {"count", "calls"},
}};

FieldValue AsJson(const std::optional<std::string>& text) {
  return text ? FieldValue(JsonText{*text}) : FieldValue();
}

TableSpec<KernelRow> KernelTable(KernelGrouping grouping) {
  using R = KernelRow;
  constexpr int kAlways = Shown::kAlways;
  constexpr Presence kAnyValue = Presence::kAnyValue;
  const auto communicates = [](const R& row) { return row.kind == KernelKind::kCommunication; };
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  ColumnSpec<R> name = Field("name", kName, Get<&R::name>,
                             {.title = "kernel", .importance = kAlways, .least_width = 40})
                           .Names(Naming::kKernel);
  name.ink = [=](const R& row) { return communicates(row) ? Ink::kCommunication : Ink::kPlain; };
  ColumnSpec<R> bar;
  bar.key = "bar";
  bar.quantity = kBar;
  bar.shown = {.importance = 65, .of = "total_ns"};
  bar.ink = [=](const R& row) { return communicates(row) ? Ink::kCommunication : Ink::kKernel; };
  bar.for_programs = false;
  spec.columns = {
      std::move(name),
      Field<R>("kind", kText,
               [](const R& row) -> FieldValue {
                 return std::string_view(row.kind == KernelKind::kCompute ? "compute"
                                                                          : "communication");
               },
               {.title = "kind"})
          .Known(),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 80}),
      Field("total_ns", kDuration, Get<&R::total_ns>, {.title = "total", .importance = kAlways}),
      PartOf<R>("share", "total_ns", {.title = "share", .importance = 90}),
      std::move(bar),
      Field("mean_ns", kDuration, Get<&R::mean_ns>, {.title = "mean", .importance = 75}).NoSum(),
      Field("min_ns", kDuration, Get<&R::min_ns>, {.title = "min", .importance = 30})
          .NoSum()
          .OnPage("Shortest"),
      Field("max_ns", kDuration, Get<&R::max_ns>, {.title = "max", .importance = 35})
          .NoSum()
          .OnPage("Longest"),
      Field("mean_blocks_per_sm", kNumber, Get<&R::mean_blocks_per_sm>,
            {.title = "blocks/SM", .importance = 25, .presence = kAnyValue})
          .WithHelp("below 1 some multiprocessors have nothing to do"),
      Field("mean_achieved_occupancy_share", kShare, Get<&R::mean_achieved_occupancy_share>,
            {.title = "occupancy", .importance = 40, .presence = kAnyValue})
          .WithHelp("estimated achieved occupancy, mean over calls weighted by their time"),
      Field("tensor_core", kFlag, Get<&R::tensor_core>,
            {.title = "tensor", .importance = 45, .presence = kAnyValue})
          .WithHelp("whether it uses tensor (matrix) cores"),
      Field("operator", kName, Get<&R::op>,
            {.title = "operator", .importance = 60, .least_width = 18, .presence = kAnyValue})
          .Names(Naming::kOperator)
          .WithHelp("the operator that launched most of its time"),
  };
  if (grouping == KernelGrouping::kLaunch) {
    ColumnSpec<R> shared = Field("shared_memory_bytes", kBytes, Get<&R::shared_memory_bytes>,
                                 {.title = "shared", .importance = 15, .with_unit = false})
                               .NoSum()
                               .Sometimes();
    shared.text = [](const R& row, const OutputStyle& style) {
      return row.shared_memory_bytes ? FormatBytes(*row.shared_memory_bytes) : Missing(style);
    };
    spec.columns.push_back(Field<R>("grid", kText, [](const R& row) { return AsJson(row.grid); },
                                    {.title = "grid", .importance = 66})
                               .OfType("readonly number[] | null")
                               .Sometimes());
    spec.columns.push_back(Field<R>("block", kText, [](const R& row) { return AsJson(row.block); },
                                    {.title = "block", .importance = 65})
                               .OfType("readonly number[] | null")
                               .Sometimes());
    spec.columns.push_back(Field("registers_per_thread", kId, Get<&R::registers_per_thread>,
                                 {.title = "registers", .importance = 20})
                               .Sometimes());
    spec.columns.push_back(std::move(shared));
  }
  return spec;
}

std::vector<std::string_view> SortFields() { return KernelTable(KernelGrouping::kLaunch).keys(); }

// Whether there is something that tensor cores could do; of devices without any there is not.
bool CouldUseTensorCores(const ProfileReport& report) {
  return std::ranges::any_of(report.operators, [](const OperatorRow& row) {
    return row.tensor_core_eligible && row.device_self_ns > 0;
  });
}

std::string Sentence(const Profile& profile, const OutputStyle& style) {
  const std::vector<KernelRow>& rows = profile.report.kernels;
  if (rows.empty()) {
    return "No kernels in the trace. Add ProfilerActivity.CUDA to activities, if the run used a "
           "GPU.";
  }
  int64_t total = 0;
  int64_t communication = 0;
  int64_t tensor_cores = 0;
  uint64_t calls = 0;
  for (const KernelRow& row : rows) {
    total += row.total_ns;
    calls += row.calls;
    if (row.kind == KernelKind::kCommunication) communication += row.total_ns;
    if (row.tensor_core) tensor_cores += row.total_ns;
  }
  std::string text = fmt::format(
      "{} ran for {}{}", Plural(calls, "kernel"), FormatDuration(total, style.unicode),
      LargestNames(
          rows, total, [](const KernelRow& row) { return row.total_ns; },
          [&](const KernelRow& row) { return KernelName(row.name, style.unicode); }, style));
  std::vector<std::string> parts;
  const auto part = [&](int64_t time, std::string_view what) {
    parts.push_back(
        fmt::format("{} of their time is {}", FormatShare(Ratio(time, total), 0), what));
  };
  if (tensor_cores > 0 || CouldUseTensorCores(profile.report))
    part(tensor_cores, "on tensor cores");
  if (communication > 0) part(communication, "communication");
  if (profile.bound) parts.push_back(BoundWords(*profile.bound));
  if (!parts.empty()) text += fmt::format("; {}", fmt::join(parts, ", "));
  return text + "." + CauseSentence(profile, {CauseKind::kUnexplained}, style);
}

Document Build(const ViewInput& input) {
  const std::vector<KernelRow>& rows = input.profile.report.kernels;
  Document document("Kernels", [&profile = input.profile](const OutputStyle& style) {
    return Sentence(profile, style);
  });
  document.SetBare();
  if (rows.empty()) document.SetEmpty();
  document.AddRowsOfProfile(
      "rows", KernelTable(input.profile.kernel_grouping), rows, input.sort_field,
      {.title = "Kernels",
       .remark = input.sort_field ? fmt::format("by {}", *input.sort_field) : "by total time",
       .main = true});
  return document;
}

}  // namespace

ViewSpec DescribeKernels() {
  ViewSpec spec;
  spec.name = "kernels";
  spec.needs = {.part = "device_events", .words = ViewNeeds::kDeviceEvents};
  spec.scope = ViewScope::kBasic;
  spec.long_table = true;
  spec.help = "what ran on the device";
  spec.sort_fields = SortFields();
  spec.sort_key = [](std::string_view text) {
    return SortFieldOf("kernels", SortFields(), kAliases, text);
  };
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("KERNELS", "KernelRow", KernelTable(KernelGrouping::kLaunch))};
  };
  return spec;
}

}  // namespace telltale
