// SPDX-License-Identifier: Apache-2.0
// The tables about time and place: files or ranks, steps, devices, and what was found wrong.
#include "views/view_tables.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/render/step_bar.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"

namespace telltale {

namespace {

using enum ColumnKind;

std::string FileLabel(const Profile& profile, uint32_t file, const OutputStyle& style) {
  return file < profile.files.size() ? Printable(LabelOf(profile.files[file]), style.unicode) : "";
}

std::string DeviceLabel(const DeviceRow& device) {
  const bool gpu = device.type == "cuda" || device.type == "hip" || device.type == "xpu";
  return fmt::format("{} {}", gpu ? "GPU" : device.type == "mtia" ? "MTIA" : "device", device.id);
}

// Categories that any of the rows has, in their order.
std::vector<size_t> UsedCategories(const std::vector<StepRow>& rows) {
  std::vector<size_t> used;
  for (size_t c = 0; c < kStepCategoryCount; ++c) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const StepRow& row) { return row.categories[c] != 0; })) {
      used.push_back(c);
    }
  }
  return used;
}

}  // namespace

bool HasDeviceEvents(const Profile& profile) {
  return std::any_of(profile.files.begin(), profile.files.end(),
                     [](const FileFacts& file) { return file.has_device_events; });
}

std::string FilesTable(const Profile& profile, const OutputStyle& style) {
  struct Sums {
    size_t steps = 0;
    int64_t duration_ns = 0;
    StepTimes times = {};
  };
  std::vector<Sums> sums(TraceFiles(profile).size());
  for (const StepRow& row : profile.report.steps.rows) {
    if (!row.complete || row.file >= sums.size()) continue;
    Sums& sum = sums[row.file];
    ++sum.steps;
    sum.duration_ns += row.duration_ns;
    for (size_t c = 0; c < kStepCategoryCount; ++c) sum.times[c] += row.categories[c];
  }
  std::vector<int64_t> means;
  for (const Sums& sum : sums) {
    means.push_back(sum.steps == 0 ? 0 : sum.duration_ns / static_cast<int64_t>(sum.steps));
  }
  const UnitColumn step("step", DurationUnit(means, style.unicode), style);
  const int64_t longest = means.empty() ? 0 : *std::max_element(means.begin(), means.end());
  const std::vector<size_t> used = UsedCategories(profile.report.steps.rows);

  std::vector<TableColumn> columns = {{"file", kName, TableColumn::kAlways, 12},
                                      {"events", kNumber, 20},
                                      {"steps", kNumber, 40},
                                      {step.Header(), kNumber},
                                      {"", kBar, 65}};
  for (const size_t c : used) {
    columns.push_back(
        {std::string(LabelOf(static_cast<StepCategory>(c))), kNumber, 90 - static_cast<int>(c)});
  }
  Table table(std::move(columns));
  for (size_t f = 0; f < TraceFiles(profile).size(); ++f) {
    const FileFacts& file = profile.files[f];
    std::string label = LabelOf(file);
    if (file.source.span != kNoInt) label += fmt::format(" span {}", file.source.span);
    std::vector<TableCell> cells = {
        Printable(label, style.unicode), FormatCount(static_cast<int64_t>(file.source.events)),
        std::to_string(sums[f].steps), sums[f].steps == 0 ? Missing(style) : step.Cell(means[f]),
        TableCell::Bar(Ratio(means[f], longest), Ink::kOther)};
    for (const size_t c : used) {
      cells.emplace_back(sums[f].steps == 0
                             ? Missing(style)
                             : FormatShare(Ratio(sums[f].times[c], sums[f].duration_ns)));
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

std::string StepsTable(const Profile& profile, size_t limit, const OutputStyle& style) {
  const std::vector<StepRow>& rows = profile.report.steps.rows;
  const size_t count = CountShown(rows.size(), limit);
  const std::vector<size_t> used = UsedCategories(rows);
  const bool several = TraceFiles(profile).size() > 1;
  // One unit for the whole table: the categories are parts of the duration.
  const UnitColumn duration = Durations(
      "duration", rows, count, [](const StepRow& r) { return std::optional(r.duration_ns); },
      style);
  int64_t longest = 0;
  for (const StepRow& row : rows) longest = std::max(longest, row.complete ? row.duration_ns : 0);

  std::vector<TableColumn> columns;
  if (several) columns.push_back({"file", kName, 60, 8});
  columns.push_back({"step", kName, TableColumn::kAlways, 6});
  columns.push_back({duration.Header(), kNumber});
  columns.push_back({"", kBar, 65});
  for (const size_t c : used) {
    columns.push_back(
        {std::string(LabelOf(static_cast<StepCategory>(c))), kNumber, 90 - static_cast<int>(c)});
  }
  columns.push_back({"", kText});
  Table table(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const StepRow& row = rows[i];
    std::vector<TableCell> cells;
    if (several) cells.emplace_back(FileLabel(profile, row.file, style));
    cells.emplace_back(Printable(row.name, style.unicode));
    cells.emplace_back(duration.Cell(row.duration_ns));
    cells.push_back(TableCell::Bar(Ratio(row.duration_ns, longest), Ink::kOther));
    for (const size_t c : used) {
      cells.emplace_back(duration.Cell(row.categories[c]), InkOf(static_cast<StepCategory>(c)));
    }
    const bool slowest = row.complete && rows.size() > 1 && row.duration_ns == longest;
    cells.emplace_back(!row.complete ? "incomplete" : slowest ? "slowest" : "", Ink::kDim);
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

std::string DevicesTable(const Profile& profile, size_t limit, const OutputStyle& style) {
  const std::vector<DeviceRow>& rows = profile.report.devices;
  const size_t count = CountShown(rows.size(), limit);
  const bool several = TraceFiles(profile).size() > 1;
  std::vector<TableColumn> columns;
  if (several) columns.push_back({"file", kName, 85, 8});
  for (TableColumn& column : std::vector<TableColumn>{
           {"device", kText},
           {"name", kName, 55, 12},
           {"memory", kNumber, 40},
           {"capability", kNumber, 30},
           {"kernels", kNumber, 50},
           {"utilization", kNumber},
           {"", kBar, 45},
           {"SM efficiency", kNumber, 80},
           {"occupancy", kNumber, 75},
           {"tensor cores", kNumber, 70},
       }) {
    columns.push_back(std::move(column));
  }
  Table table(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const DeviceRow& row = rows[i];
    std::vector<TableCell> cells;
    if (several) cells.emplace_back(FileLabel(profile, row.file, style));
    cells.emplace_back(DeviceLabel(row));
    cells.emplace_back(row.name.empty() ? Missing(style) : Printable(row.name, style.unicode));
    cells.emplace_back(row.memory_bytes ? FormatBytes(*row.memory_bytes) : Missing(style));
    cells.emplace_back(row.compute_capability.empty()
                           ? Missing(style)
                           : Printable(row.compute_capability, style.unicode));
    cells.emplace_back(FormatCount(static_cast<int64_t>(row.kernel_count)));
    cells.emplace_back(FormatShare(row.utilization_share));
    cells.push_back(TableCell::Bar(row.utilization_share, Ink::kKernel));
    cells.emplace_back(ShareOrMissing(row.sm_efficiency_share, style));
    cells.emplace_back(ShareOrMissing(row.achieved_occupancy_share, style));
    cells.emplace_back(ShareOrMissing(row.tensor_core_share, style));
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

std::string DiagnosticsTable(const Profile& profile, std::span<const FileDiagnostic> rows,
                             const OutputStyle& style) {
  const bool several = TraceFiles(profile).size() > 1;
  const auto place = [&](const FileDiagnostic& d) {
    return d.first_offset
               ? fmt::format("byte {}", FormatCount(static_cast<int64_t>(*d.first_offset)))
               : Missing(style);
  };
  const auto file = [&](const FileDiagnostic& d) {
    return d.file ? FileLabel(profile, static_cast<uint32_t>(*d.file), style) : Missing(style);
  };
  // Below this a column of sentences has three words a line.
  constexpr size_t kTableWidth = 90;
  if (style.width >= kTableWidth) {
    std::vector<TableColumn> columns = {{"severity", kText}};
    if (several) columns.push_back({"file", kName, 60, 8});
    for (TableColumn& column :
         std::vector<TableColumn>{{"kind", kText},
                                  {"count", kNumber},
                                  {"first at", kNumber, 50},
                                  {"what it means", kProse, TableColumn::kAlways, 30}}) {
      columns.push_back(std::move(column));
    }
    Table table(std::move(columns));
    for (const FileDiagnostic& d : rows) {
      std::vector<TableCell> cells = {{std::string(NameOf(d.severity)), InkOf(d.severity)}};
      if (several) cells.emplace_back(file(d));
      cells.emplace_back(d.kind);
      cells.emplace_back(FormatCount(static_cast<int64_t>(d.count)));
      cells.emplace_back(place(d));
      cells.emplace_back(Printable(d.message, style.unicode));
      table.AddRow(std::move(cells));
    }
    return table.Render(style);
  }

  std::string out;
  for (const FileDiagnostic& d : rows) {
    std::string head = fmt::format("{}, {}", d.kind, FormatCount(static_cast<int64_t>(d.count)));
    if (d.first_offset) head += fmt::format(", first at {}", place(d));
    if (several) head += fmt::format(", {}", file(d));
    const std::string_view severity = NameOf(d.severity);
    out += fmt::format("  {} {}\n", Paint(InkOf(d.severity), severity, style),
                       ShortenMiddle(head, style.width - 3 - severity.size(), style.unicode));
    for (const std::string& line : Wrap(Printable(d.message, style.unicode), style.width - 4)) {
      out += fmt::format("    {}\n", line);
    }
  }
  return out;
}

}  // namespace telltale
