// SPDX-License-Identifier: Apache-2.0
// The view `devices`: how busy each was, and with what.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/lane_parts.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

std::string Label(const DeviceRow& device) {
  const bool gpu = device.type == "cuda" || device.type == "hip" || device.type == "xpu";
  return fmt::format("{} {}", gpu ? "GPU" : device.type == "mtia" ? "MTIA" : "device", device.id);
}

TableSpec<DeviceRow> DeviceTable() {
  using R = DeviceRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  ColumnSpec<R> name =
      Field<R>("name", kName,
               [](const R& row) -> FieldValue {
                 return row.has_name ? FieldValue(std::string_view(row.name)) : FieldValue();
               },
               {.title = "name", .importance = 55, .least_width = 12});
  name.text = [](const R& row, const OutputStyle& style) {
    return row.name.empty() ? Missing(style) : Printable(row.name, style.unicode);
  };
  // Devices differ by orders of magnitude too little for a unit of the column to matter.
  ColumnSpec<R> memory = Field("memory_bytes", kBytes, Get<&R::memory_bytes>,
                               {.title = "memory", .importance = 40, .with_unit = false});
  memory.text = [](const R& row, const OutputStyle& style) {
    return row.memory_bytes ? FormatBytes(*row.memory_bytes) : Missing(style);
  };
  ColumnSpec<R> bar = Field("utilization_bar", kBar, Get<&R::utilization_share>,
                            {.importance = 45, .ink = Ink::kKernel});
  bar.for_programs = false;
  spec.columns = {
      Field("id", kText, Get<&R::id>),
      Field("type", kText, Get<&R::type>),
      std::move(name),
      std::move(memory),
      Field<R>("compute_capability", kId,
               [](const R& row) -> FieldValue {
                 return row.compute_capability.empty()
                            ? FieldValue()
                            : FieldValue(std::string_view(row.compute_capability));
               },
               {.title = "capability", .importance = 30})
          .OfType("string | null"),
      Field("kernel_count", kCount, Get<&R::kernel_count>, {.title = "kernels", .importance = 50}),
      Field("utilization_share", kShare, Get<&R::utilization_share>,
            {.title = "utilization", .importance = kAlways})
          .OnPage("Busy")
          .WithHelp("share of the steps' time in which at least one kernel runs"),
      std::move(bar),
      BarOf<R>("busy_bar", "utilization_share", {}),
      BarOf<R>("sm_bar", "sm_efficiency_share", {}),
      Field("sm_efficiency_share", kShare, Get<&R::sm_efficiency_share>,
            {.title = "SM efficiency", .importance = 80})
          .WithHelp("share of the multiprocessors that have work, over the steps' time"),
      Field("achieved_occupancy_share", kShare, Get<&R::achieved_occupancy_share>,
            {.title = "occupancy", .importance = 75})
          .WithHelp("estimated achieved occupancy of the kernels, weighted by their time"),
      Field("tensor_core_share", kShare, Get<&R::tensor_core_share>,
            {.title = "tensor cores", .importance = 70})
          .WithHelp("share of kernel time in kernels that use tensor (matrix) cores"),
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = 85,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
      Field<R>("label", kText, [](const R& row) -> FieldValue { return Label(row); },
               {.title = "device", .importance = kAlways})
          .Known(),
  };
  spec.order = {"file",
                "label",
                "name",
                "memory_bytes",
                "compute_capability",
                "kernel_count",
                "utilization_share",
                "utilization_bar",
                "sm_efficiency_share",
                "achieved_occupancy_share",
                "tensor_core_share"};
  return spec;
}

std::string Sentence(const Profile& profile, const OutputStyle& style) {
  const ProfileReport& report = profile.report;
  const std::vector<std::string> labels = FileLabels(profile);
  const std::vector<DeviceRow>& rows = report.devices;
  if (rows.empty()) {
    return "No events of a GPU in the trace. Add ProfilerActivity.CUDA to activities, if the run "
           "used one.";
  }
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &DeviceRow::utilization_share);
  const std::string_view whole =
      report.steps.source == StepSource::kWholeTrace ? "the trace" : "the steps' time";
  const auto label = [&](const DeviceRow& row) {
    std::string text = DeviceInSentence(row.id, row.file, labels, style);
    if (!row.name.empty()) text += fmt::format(" ({})", NameInSentence(row.name, style));
    return text;
  };
  if (rows.size() == 1) {
    return fmt::format("{} runs kernels for {} of {}.", label(rows[0]),
                       FormatShare(rows[0].utilization_share, 0), whole);
  }
  return fmt::format("{} devices run kernels for {} to {} of {}; {} the least.", rows.size(),
                     FormatShare(least->utilization_share, 0),
                     FormatShare(most->utilization_share, 0), whole, label(*least));
}

Document Build(const ViewInput& input) {
  const std::vector<DeviceRow>& rows = input.profile.report.devices;
  Document document("Devices", [&profile = input.profile](const OutputStyle& style) {
    return Sentence(profile, style);
  });
  document.SetBare();
  if (rows.empty()) document.SetEmpty();
  document.SetLabels(FileLabels(input.profile));
  document.AddRowsOfProfile(
      "rows", DeviceTable(), rows, input.sort_field,
      {.title = "Devices",
       .remark = input.sort_field ? fmt::format("by {}", *input.sort_field) : "",
       .main = true});
  return document;
}

}  // namespace

ViewSpec DescribeDevices() {
  ViewSpec spec;
  spec.name = "devices";
  spec.needs = {.part = "device_events", .words = ViewNeeds::kDeviceEvents};
  spec.scope = ViewScope::kBasic;
  spec.help = "utilization, SM efficiency, occupancy, tensor cores";
  spec.sort_fields = DeviceTable().keys();
  spec.build = Build;
  spec.tables = [] { return std::vector{ForPage("DEVICES", "DeviceRow", DeviceTable())}; };
  return spec;
}

}  // namespace telltale
