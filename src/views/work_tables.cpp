// SPDX-License-Identifier: Apache-2.0
// The tables about work: operators, kernels, copies.
#include "views/view_tables.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"

namespace telltale {

namespace {

using enum ColumnKind;

}  // namespace

std::string OperatorsTable(const Profile& profile, const OperatorTableRequest& request,
                           const OutputStyle& style) {
  std::vector<OperatorRow> rows;
  const size_t most = request.limit == 0 ? SIZE_MAX : request.limit;
  for (const OperatorRow& row : profile.report.operators) {
    if (rows.size() >= most) break;
    if (request.annotations || row.kind == OperatorKind::kOperator) rows.push_back(row);
  }
  int64_t device_total = 0;
  int64_t host_total = 0;
  for (const OperatorRow& row : profile.report.operators) {
    device_total += row.device_self_ns;
    host_total += row.host_self_ns;
  }
  // Bars compare the rows with each other, shares compare them with the whole.
  int64_t device_most = 0;
  int64_t host_most = 0;
  for (const OperatorRow& row : rows) {
    device_most = std::max(device_most, row.device_self_ns);
    host_most = std::max(host_most, row.host_self_ns);
  }
  const size_t count = rows.size();
  const bool device = device_total > 0;
  const bool any_annotation = std::any_of(rows.begin(), rows.end(), [](const OperatorRow& row) {
    return row.kind == OperatorKind::kAnnotation;
  });
  const auto any = [&](auto get) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const OperatorRow& row) { return get(row).has_value(); });
  };
  const bool memory = any([](const OperatorRow& r) { return r.memory_self_bytes; });
  const bool flops = any([](const OperatorRow& r) { return r.flops; });
  const bool tensor_cores =
      device && any([](const OperatorRow& r) { return r.tensor_core_self_share; });
  const bool by_shape = profile.operator_grouping == OperatorGrouping::kShape;
  const bool by_stack = profile.operator_grouping == OperatorGrouping::kStack;

  using Row = OperatorRow;
  const auto duration = [&](std::string_view title, int64_t Row::* time) {
    return Durations(
        title, rows, count, [time](const Row& r) { return std::optional(r.*time); }, style);
  };
  const UnitColumn device_self = duration("device self", &Row::device_self_ns);
  const UnitColumn device_all = duration("device total", &Row::device_total_ns);
  const UnitColumn host_self = duration("CPU self", &Row::host_self_ns);
  const UnitColumn host_all = duration("CPU total", &Row::host_total_ns);
  const UnitColumn host_mean = Durations(
      "CPU mean", rows, count,
      [](const Row& r) {
        return std::optional(r.host_total_ns /
                             static_cast<int64_t>(std::max<uint64_t>(r.calls, 1)));
      },
      style);
  const UnitColumn memory_self =
      Sizes("memory", rows, count, [](const Row& r) { return r.memory_self_bytes; }, style);
  const UnitColumn flop("", FlopUnit(Collect(rows, count, [](const Row& r) { return r.flops; })),
                        style);

  std::vector<TableColumn> columns = {{"operator", kName, TableColumn::kAlways, 30}};
  if (any_annotation) columns.push_back({"kind", kText, 35});
  if (by_shape) columns.push_back({"input shapes", kName, 95, 16});
  if (by_stack) columns.push_back({"stack, innermost first", kName, 95, 20});
  columns.push_back({"calls", kNumber, 80});
  if (device) {
    columns.push_back({device_self.Header(), kNumber});
    columns.push_back({"share", kNumber, 90});
    columns.push_back({"", kBar, 65});
    columns.push_back({device_all.Header(), kNumber, 60});
    columns.push_back({host_self.Header(), kNumber, 70});
    columns.push_back({host_all.Header(), kNumber, 50});
  } else {
    columns.push_back({host_self.Header(), kNumber});
    columns.push_back({"share", kNumber, 90});
    columns.push_back({"", kBar, 65});
    columns.push_back({host_all.Header(), kNumber, 70});
  }
  columns.push_back({host_mean.Header(), kNumber, 25});
  if (tensor_cores) columns.push_back({"tensor cores", kNumber, 45});
  if (memory) columns.push_back({memory_self.Header(), kNumber, 40});
  if (flops) columns.push_back({flop.Header().substr(1), kNumber, 30});

  Table table(std::move(columns));
  for (const OperatorRow& row : rows) {
    std::vector<TableCell> cells = {Printable(row.name, style.unicode)};
    if (any_annotation) {
      cells.emplace_back(row.kind == OperatorKind::kAnnotation ? "annotation" : "operator",
                         Ink::kDim);
    }
    if (by_shape)
      cells.emplace_back(Printable(row.input_shapes.value_or(Missing(style)), style.unicode));
    if (by_stack) cells.emplace_back(Printable(row.stack.value_or(Missing(style)), style.unicode));
    cells.emplace_back(FormatCount(static_cast<int64_t>(row.calls)));
    if (device) {
      const double share = Ratio(row.device_self_ns, device_total);
      const double bar = Ratio(row.device_self_ns, device_most);
      cells.emplace_back(device_self.Cell(row.device_self_ns));
      cells.emplace_back(FormatShare(share));
      cells.push_back(TableCell::Bar(bar, Ink::kKernel));
      cells.emplace_back(device_all.Cell(row.device_total_ns));
      cells.emplace_back(host_self.Cell(row.host_self_ns));
      cells.emplace_back(host_all.Cell(row.host_total_ns));
    } else {
      const double share = Ratio(row.host_self_ns, host_total);
      const double bar = Ratio(row.host_self_ns, host_most);
      cells.emplace_back(host_self.Cell(row.host_self_ns));
      cells.emplace_back(FormatShare(share));
      cells.push_back(TableCell::Bar(bar, Ink::kCpu));
      cells.emplace_back(host_all.Cell(row.host_total_ns));
    }
    cells.emplace_back(
        host_mean.Cell(row.host_total_ns / static_cast<int64_t>(std::max<uint64_t>(row.calls, 1))));
    if (tensor_cores) cells.emplace_back(ShareOrMissing(row.tensor_core_self_share, style));
    if (memory) cells.emplace_back(memory_self.Cell(row.memory_self_bytes));
    if (flops) cells.emplace_back(flop.Cell(row.flops));
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

std::string KernelsTable(const Profile& profile, size_t limit, const OutputStyle& style) {
  const std::vector<KernelRow>& rows = profile.report.kernels;
  const size_t count = CountShown(rows.size(), limit);
  using Row = KernelRow;
  const auto duration = [&](std::string_view title, int64_t Row::* time) {
    return Durations(
        title, rows, count, [time](const Row& r) { return std::optional(r.*time); }, style);
  };
  const UnitColumn total = duration("total", &Row::total_ns);
  const UnitColumn mean = duration("mean", &Row::mean_ns);
  const UnitColumn least = duration("min", &Row::min_ns);
  const UnitColumn most = duration("max", &Row::max_ns);
  int64_t sum = 0;
  int64_t largest = 0;
  bool blocks = false;
  bool occupancy = false;
  bool operators = false;
  bool tensor_cores = false;
  for (const Row& row : rows) sum += row.total_ns;
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(largest, rows[i].total_ns);
    blocks |= rows[i].mean_blocks_per_sm.has_value();
    occupancy |= rows[i].mean_achieved_occupancy_share.has_value();
    operators |= rows[i].op.has_value();
    tensor_cores |= rows[i].tensor_core;
  }
  const bool launch = profile.kernel_grouping == KernelGrouping::kLaunch;

  std::vector<TableColumn> columns = {{"kernel", kName, TableColumn::kAlways, 40},
                                      {"calls", kNumber, 80},
                                      {total.Header(), kNumber},
                                      {"share", kNumber, 90},
                                      {"", kBar, 65},
                                      {mean.Header(), kNumber, 75},
                                      {least.Header(), kNumber, 30},
                                      {most.Header(), kNumber, 35}};
  if (blocks) columns.push_back({"blocks/SM", kNumber, 25});
  if (occupancy) columns.push_back({"occupancy", kNumber, 40});
  if (tensor_cores) columns.push_back({"tensor", kText, 45});
  if (operators) columns.push_back({"operator", kName, 60, 18});
  if (launch) {
    columns.push_back({"grid", kText, 66});
    columns.push_back({"block", kText, 65});
    columns.push_back({"registers", kNumber, 20});
    columns.push_back({"shared", kNumber, 15});
  }
  Table table(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const Row& row = rows[i];
    const bool communication = row.kind == KernelKind::kCommunication;
    const Ink ink = communication ? Ink::kCommunication : Ink::kKernel;
    const double share = Ratio(row.total_ns, sum);
    std::vector<TableCell> cells = {
        {Printable(row.name, style.unicode), communication ? Ink::kCommunication : Ink::kPlain},
        FormatCount(static_cast<int64_t>(row.calls)),
        total.Cell(row.total_ns),
        FormatShare(share),
        TableCell::Bar(Ratio(row.total_ns, largest), ink),
        mean.Cell(row.mean_ns),
        least.Cell(row.min_ns),
        most.Cell(row.max_ns)};
    if (blocks) {
      cells.emplace_back(row.mean_blocks_per_sm ? fmt::format("{:.1f}", *row.mean_blocks_per_sm)
                                                : Missing(style));
    }
    if (occupancy) cells.emplace_back(ShareOrMissing(row.mean_achieved_occupancy_share, style));
    if (tensor_cores) cells.emplace_back(row.tensor_core ? "yes" : "");
    if (operators) cells.emplace_back(row.op ? Printable(*row.op, style.unicode) : Missing(style));
    if (launch) {
      cells.emplace_back(row.grid ? Printable(*row.grid, style.unicode) : Missing(style));
      cells.emplace_back(row.block ? Printable(*row.block, style.unicode) : Missing(style));
      cells.emplace_back(row.registers_per_thread ? std::to_string(*row.registers_per_thread)
                                                  : Missing(style));
      cells.emplace_back(row.shared_memory_bytes ? FormatBytes(*row.shared_memory_bytes)
                                                 : Missing(style));
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

std::string CopiesTable(const Profile& profile, size_t limit, const OutputStyle& style) {
  const std::vector<CopyRow>& rows = profile.report.copies;
  const size_t count = CountShown(rows.size(), limit);
  using Row = CopyRow;
  const auto duration = [&](std::string_view title, int64_t Row::* time) {
    return Durations(
        title, rows, count, [time](const Row& r) { return std::optional(r.*time); }, style);
  };
  const UnitColumn total = duration("total", &Row::total_ns);
  const UnitColumn least = duration("min", &Row::min_ns);
  const UnitColumn most = duration("max", &Row::max_ns);
  const UnitColumn bytes = Sizes("size", rows, count, [](const Row& r) { return r.bytes; }, style);
  int64_t sum = 0;
  int64_t largest = 0;
  bool any_bytes = false;
  bool any_pageable = false;
  for (const Row& row : rows) sum += row.total_ns;
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(largest, rows[i].total_ns);
    any_bytes |= rows[i].bytes.has_value();
    any_pageable |= rows[i].pageable.has_value();
  }

  std::vector<TableColumn> columns = {{"copy", kName, TableColumn::kAlways, 30},
                                      {"calls", kNumber, 80},
                                      {total.Header(), kNumber},
                                      {"share", kNumber, 90},
                                      {"", kBar, 65},
                                      {least.Header(), kNumber, 30},
                                      {most.Header(), kNumber, 35}};
  if (any_bytes) {
    columns.push_back({bytes.Header(), kNumber, 70});
    columns.push_back({"GB/s", kNumber, 75});
  }
  if (any_pageable) columns.push_back({"", kText, 50});
  Table table(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const Row& row = rows[i];
    const Ink ink = row.direction == "memset" ? Ink::kMemset : Ink::kMemcpy;
    const double share = Ratio(row.total_ns, sum);
    std::vector<TableCell> cells = {Printable(row.name, style.unicode),
                                    FormatCount(static_cast<int64_t>(row.calls)),
                                    total.Cell(row.total_ns),
                                    FormatShare(share),
                                    TableCell::Bar(Ratio(row.total_ns, largest), ink),
                                    least.Cell(row.min_ns),
                                    most.Cell(row.max_ns)};
    if (any_bytes) {
      cells.emplace_back(bytes.Cell(row.bytes));
      cells.emplace_back(row.bandwidth_gb_per_s ? fmt::format("{:.2f}", *row.bandwidth_gb_per_s)
                                                : Missing(style));
    }
    if (any_pageable) {
      cells.emplace_back(!row.pageable   ? ""
                         : *row.pageable ? "pageable"
                                         : "pinned",
                         row.pageable.value_or(false) ? Ink::kWarning : Ink::kPlain);
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

}  // namespace telltale
