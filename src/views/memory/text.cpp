// SPDX-License-Identifier: Apache-2.0
// The memory section for people: the answer, the curve, what was there at the peak, what operators
// take, what steps leave behind.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "views/memory/chart.h"
#include "views/memory/memory_view.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"
#include "views/sorting.h"

namespace telltale {

namespace {

using enum ColumnKind;

constexpr int64_t kRows = 10;       // of each table, unless a limit is given
constexpr int64_t kBlockRows = 20;  // where blocks were asked for

class MemoryTextBuilder {
 public:
  MemoryTextBuilder(const MemoryView& view, std::optional<int64_t> limit, const OutputStyle& style)
      : view_(view), limit_(limit), style_(style) {}

  std::string Build();
  [[nodiscard]] std::string Answer() const;

 private:
  [[nodiscard]] size_t Shown(size_t rows, int64_t usual = kRows) const {
    return Limited(rows, limit_.value_or(usual));
  }
  [[nodiscard]] std::string Dot() const { return style_.unicode ? " · " : ", "; }
  [[nodiscard]] std::string Remark(std::string order, size_t shown, size_t rows) const {
    if (shown == rows) return order;
    return fmt::format("{}{}{} of {}", order, Dot(), shown,
                       FormatCount(static_cast<int64_t>(rows)));
  }
  [[nodiscard]] std::string Safe(std::string_view text) const {
    return Printable(text, style_.unicode);
  }
  [[nodiscard]] std::string OperatorOf(const MemoryReport& report, const AllocationRow& row) const {
    if (row.frame != kNoMemoryText) return Safe(*report.TextOf(row.frame));
    const std::string* op = report.TextOf(row.op);
    return op == nullptr ? Missing(style_) : Safe(ShownOperator(*op, report.TextOf(row.parent_op)));
  }
  [[nodiscard]] std::string TextOr(const std::string* text) const {
    return text == nullptr ? Missing(style_) : Safe(*text);
  }
  // Paragraph of its own, indented below a heading.
  void Say(std::string_view text, size_t indent = 2, Ink ink = Ink::kPlain) {
    for (const std::string& line : Wrap(text, style_.width - indent))
      out_ += std::string(indent, ' ') + Paint(ink, line, style_) + "\n";
  }
  void Begin(std::string_view title, std::string_view remark) {
    if (!out_.empty()) out_ += '\n';
    out_ += Heading(title, remark, style_);
  }

  [[nodiscard]] std::string AnswerOf(const ShownDevice& shown) const;
  void Devices();
  void Curve(const ShownDevice& shown);
  void Shares(std::string_view title, std::string_view column, const std::vector<MemoryShare>& rows,
              const DeviceMemory& device, bool with_before);
  void Blocks(std::string_view title, const std::vector<AllocationView>& rows, size_t count,
              std::string_view order);
  void Operators(const DeviceMemory& device);
  void Segments(const DeviceMemory& device);
  void Leaks();

  const MemoryView& view_;
  std::optional<int64_t> limit_;
  const OutputStyle& style_;
  std::string out_;
};

// The device that matters: the highest peak, devices before the CPU.
const ShownDevice& MainDevice(const std::vector<ShownDevice>& devices) {
  return *std::max_element(
      devices.begin(), devices.end(), [](const ShownDevice& a, const ShownDevice& b) {
        const bool cpu_a = a.device().type == "cpu";
        const bool cpu_b = b.device().type == "cpu";
        return cpu_a != cpu_b ? cpu_a
                              : a.device().peak_allocated_bytes < b.device().peak_allocated_bytes;
      });
}

std::string MemoryTextBuilder::AnswerOf(const ShownDevice& shown) const {
  const DeviceMemory& device = shown.device();
  std::string text;
  if (!device.peak_ns && device.segments) {
    text = fmt::format(
        "{} were allocated of {} reserved on {} when the snapshot was taken; it has no history "
        "(torch.cuda.memory._record_memory_history() before the work adds it).",
        FormatBytes(device.segments->allocated_bytes), FormatBytes(device.segments->reserved_bytes),
        DeviceLabel(device));
    return text;
  }
  if (!device.peak_ns) {
    text = fmt::format("No memory of {} was allocated or released in the selected time.",
                       DeviceLabel(device));
    return text;
  }
  if (device.relative) {
    text = fmt::format("Up to {} more than when the recording began on {}",
                       FormatBytes(device.peak_allocated_bytes), DeviceLabel(device));
  } else {
    text =
        fmt::format("Peak {} on {}", FormatBytes(device.peak_allocated_bytes), DeviceLabel(device));
  }
  if (!shown.file->label.empty()) text += fmt::format(" of {}", Safe(shown.file->label));
  if (device.peak_step) text += fmt::format(" in step {}", Safe(*device.peak_step));
  if (device.total_bytes && !device.relative) {
    text += fmt::format(" ({} of the device)",
                        FormatShare(Ratio(device.peak_allocated_bytes, *device.total_bytes)));
  }
  if (device.at_peak && device.peak_allocated_bytes > 0) {
    const MemoryAtPeak& peak = *device.at_peak;
    std::vector<std::string> parts;
    const auto share = [&](int64_t bytes) {
      return FormatShare(Ratio(bytes, device.peak_allocated_bytes), 0);
    };
    if (peak.before_bytes.value_or(0) > 0)
      parts.push_back(share(*peak.before_bytes) + " from before the recording");
    for (const MemoryShare& row : peak.by_category) {
      if (parts.size() < 3) parts.push_back(share(row.bytes) + " " + Safe(row.name));
    }
    for (const MemoryShare& row : peak.by_frame) {
      if (row.name.empty() || parts.size() >= 2) continue;
      parts.push_back(share(row.bytes) + " of " + Safe(row.name));
    }
    for (const MemoryShare& row : peak.by_operator) {
      if (row.name.empty() || parts.size() >= 3) continue;
      parts.push_back(share(row.bytes) + " of " + Safe(row.name));
    }
    if (!parts.empty()) text += fmt::format(": {}", fmt::join(parts, ", "));
  }
  text += ".";
  const std::vector<LeakRow>& leaks = shown.file->report.leaks;
  if (!leaks.empty()) {
    const auto steps = static_cast<int64_t>(leaks[0].steps.size());
    text += fmt::format(" Every step leaves {} of {} behind.",
                        FormatBytes(leaks[0].bytes / std::max<int64_t>(steps, 1)),
                        leaks[0].op.empty() ? "memory" : Safe(leaks[0].op));
  }
  return text;
}

std::string MemoryTextBuilder::Answer() const {
  if (view_.files.empty()) {
    return "No memory events in the trace. Record with profile_memory=True.";
  }
  if (!view_.devices.empty()) return AnswerOf(MainDevice(view_.devices));
  std::vector<std::string> names;
  for (const FileMemory& file : view_.files) {
    for (const DeviceMemory& device : file.report.devices) names.push_back(DeviceLabel(device));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("No memory events of device '{}'. There are: {}.", Safe(view_.asked_device),
                     fmt::join(names, ", "));
}

void MemoryTextBuilder::Devices() {
  const std::vector<ShownDevice>& rows = view_.devices;
  const bool files = view_.files.size() > 1;
  const auto sizes = [&](std::string_view title, auto get) {
    return Sizes(
        title, rows, rows.size(), [get](const ShownDevice& d) { return get(d.device()); }, style_);
  };
  using Row = DeviceMemory;
  const UnitColumn peak =
      sizes("peak", [](const Row& d) { return std::optional(d.peak_allocated_bytes); });
  const UnitColumn reserved = sizes("reserved", [](const Row& d) { return d.peak_reserved_bytes; });
  const UnitColumn unused =
      sizes("unused", [](const Row& d) { return d.fragmentation_at_peak_bytes; });
  const UnitColumn unused_most =
      sizes("most unused", [](const Row& d) { return d.fragmentation_max_bytes; });
  const bool any_reserved = std::any_of(rows.begin(), rows.end(), [](const ShownDevice& d) {
    return d.device().peak_reserved_bytes.has_value();
  });
  const bool any_step = std::any_of(rows.begin(), rows.end(), [](const ShownDevice& d) {
    return d.device().peak_step.has_value();
  });
  std::vector<TableColumn> columns;
  if (files) columns.push_back({"file", kName, 90, 12});
  columns.push_back({"device", kText});
  columns.push_back({"name", kName, 20, 12});
  columns.push_back({peak.Header(), kNumber});
  if (any_step) columns.push_back({"in step", kText, 70});
  if (any_reserved) {
    columns.push_back({reserved.Header(), kNumber, 80});
    columns.push_back({unused.Header(), kNumber, 75});
    columns.push_back({unused_most.Header(), kNumber, 50});
  }
  columns.push_back({"allocations", kNumber, 60});
  columns.push_back({"never released", kNumber, 40});
  Table table(std::move(columns));
  const auto count = [&](const std::optional<uint64_t>& value) {
    return value ? FormatCount(static_cast<int64_t>(*value)) : Missing(style_);
  };
  for (const ShownDevice& shown : rows) {
    const DeviceMemory& device = shown.device();
    std::vector<TableCell> cells;
    if (files) cells.emplace_back(Safe(shown.file->label));
    cells.emplace_back(DeviceLabel(device));
    cells.emplace_back(device.name.empty() ? Missing(style_) : Safe(device.name));
    cells.emplace_back((device.relative ? "+" : "") + peak.Cell(device.peak_allocated_bytes));
    if (any_step) cells.emplace_back(device.peak_step ? Safe(*device.peak_step) : Missing(style_));
    if (any_reserved) {
      cells.emplace_back(reserved.Cell(device.peak_reserved_bytes));
      cells.emplace_back(unused.Cell(device.fragmentation_at_peak_bytes));
      cells.emplace_back(unused_most.Cell(device.fragmentation_max_bytes));
    }
    cells.emplace_back(count(device.allocation_count));
    cells.emplace_back(count(device.never_released_count));
    table.AddRow(std::move(cells));
  }
  Begin("Devices", any_reserved ? "unused: reserved but not allocated at the peak" : "");
  out_ += table.Render(style_);
}

void MemoryTextBuilder::Curve(const ShownDevice& shown) {
  const DeviceMemory& device = shown.device();
  std::vector<std::string> remarks;
  if (device.relative) remarks.emplace_back("relative to the beginning: totals were not captured");
  remarks.push_back(fmt::format("{} events", FormatCount(static_cast<int64_t>(
                                                 device.allocation_count + device.release_count))));
  if (view_.devices.size() > 1) remarks.emplace_back("--device shows another");
  const std::string chart = RenderMemoryChart(device.curve, style_);
  if (chart.empty()) return;
  Begin(fmt::format("Allocated on {}", DeviceLabel(device)),
        fmt::format("{}", fmt::join(remarks, Dot())));
  out_ += chart;
}

void MemoryTextBuilder::Shares(std::string_view title, std::string_view column,
                               const std::vector<MemoryShare>& rows, const DeviceMemory& device,
                               bool with_before) {
  if (rows.empty()) return;
  std::vector<MemoryShare> shown(rows.begin(),
                                 rows.begin() + static_cast<ptrdiff_t>(Shown(rows.size())));
  for (MemoryShare& row : shown) row.name = row.name.empty() ? "none" : Safe(row.name);
  const int64_t before = device.at_peak->before_bytes.value_or(0);
  if (with_before && before > 0)
    shown.insert(shown.begin(), {"before the recording", before, std::nullopt});
  const UnitColumn size = Sizes(
      "size", shown, shown.size(), [](const MemoryShare& r) { return std::optional(r.bytes); },
      style_);
  int64_t most = 0;
  for (const MemoryShare& row : shown) most = std::max(most, row.bytes);
  Table table({{std::string(column), kName, TableColumn::kAlways, 24},
               {"blocks", kNumber, 70},
               {size.Header(), kNumber},
               {"share", kNumber, 90},
               {"", kBar, 65}});
  for (const MemoryShare& row : shown) {
    table.AddRow({row.name,
                  row.count ? FormatCount(static_cast<int64_t>(*row.count)) : Missing(style_),
                  size.Cell(row.bytes), FormatShare(Ratio(row.bytes, device.peak_allocated_bytes)),
                  TableCell::Bar(Ratio(row.bytes, most), Ink::kKernel)});
  }
  Begin(title, Remark("by size", Shown(rows.size()), rows.size()));
  out_ += table.Render(style_);
}

void MemoryTextBuilder::Blocks(std::string_view title, const std::vector<AllocationView>& rows,
                               size_t count, std::string_view order) {
  if (rows.empty()) return;
  const auto life = [](const AllocationView& v) -> std::optional<int64_t> {
    if (!v.row->allocated_ns || !v.row->released_ns) return std::nullopt;
    return Difference(*v.row->released_ns, *v.row->allocated_ns);
  };
  const UnitColumn size = Sizes(
      "size", rows, count, [](const AllocationView& v) { return std::optional(v.row->bytes); },
      style_);
  const UnitColumn lived = Durations("life", rows, count, life, style_);
  bool step = false;
  bool module = false;
  bool frames = false;
  for (size_t i = 0; i < count; ++i) {
    step |= rows[i].row->step != kNoMemoryText;
    module |= rows[i].row->module != kNoMemoryText;
    frames |= rows[i].row->frame != kNoMemoryText;
  }
  std::vector<TableColumn> columns = {
      {size.Header(), kNumber}, {frames ? "place" : "operator", kName, TableColumn::kAlways, 24}};
  if (module) columns.push_back({"module", kName, 60, 16});
  if (step) columns.push_back({"step", kText, 70});
  columns.push_back({lived.Header(), kNumber, 80});
  columns.push_back({"address", kNumber, 30});
  Table table(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const AllocationRow& row = *rows[i].row;
    const MemoryReport& report = rows[i].file->report;
    std::vector<TableCell> cells = {size.Cell(row.bytes),
                                    row.allocated_ns || row.frame != kNoMemoryText
                                        ? OperatorOf(report, row)
                                        : "before the recording"};
    if (module) cells.emplace_back(TextOr(report.TextOf(row.module)));
    if (step) cells.emplace_back(TextOr(report.TextOf(row.step)));
    cells.emplace_back(row.released_ns || !row.address ? lived.Cell(life(rows[i])) : "to the end");
    cells.emplace_back(row.address ? fmt::format("{:#x}", *row.address) : Missing(style_));
    table.AddRow(std::move(cells));
  }
  Begin(title, Remark(std::string(order), count, rows.size()));
  out_ += table.Render(style_);
}

void MemoryTextBuilder::Operators(const DeviceMemory& device) {
  const std::vector<MemoryOperatorRow>& rows = device.operators;
  if (rows.empty()) return;
  const size_t count = Shown(rows.size());
  using Row = MemoryOperatorRow;
  const auto size = [&](std::string_view title, int64_t Row::* bytes) {
    return Sizes(
        title, rows, count, [bytes](const Row& r) { return std::optional(r.*bytes); }, style_);
  };
  const UnitColumn self = size("kept self", &Row::self_size_increase_bytes);
  const UnitColumn total = size("kept total", &Row::size_increase_bytes);
  const UnitColumn self_allocated = size("allocated self", &Row::self_allocation_bytes);
  const UnitColumn allocated = size("allocated total", &Row::allocation_bytes);
  Table table({{"operator", kName, TableColumn::kAlways, 24},
               {"calls", kNumber, 60},
               {self.Header(), kNumber},
               {total.Header(), kNumber, 80},
               {"allocations", kNumber, 50},
               {self_allocated.Header(), kNumber, 75},
               {allocated.Header(), kNumber, 40}});
  for (size_t i = 0; i < count; ++i) {
    const Row& row = rows[i];
    table.AddRow({Safe(row.name), FormatCount(static_cast<int64_t>(row.calls)),
                  self.Cell(row.self_size_increase_bytes), total.Cell(row.size_increase_bytes),
                  FormatCount(static_cast<int64_t>(row.self_allocation_count)),
                  self_allocated.Cell(row.self_allocation_bytes),
                  allocated.Cell(row.allocation_bytes)});
  }
  Begin(
      fmt::format("Operators on {}", DeviceLabel(device)),
      Remark(fmt::format("by what they allocate and do not free themselves"), count, rows.size()));
  out_ += table.Render(style_);
}

void MemoryTextBuilder::Segments(const DeviceMemory& device) {
  if (!device.segments) return;
  const MemorySegments& segments = *device.segments;
  Begin("When the snapshot was taken",
        fmt::format("{} segments", FormatCount(static_cast<int64_t>(segments.segment_count))));
  const std::vector<std::pair<std::string_view, int64_t>> rows = {
      {"reserved", segments.reserved_bytes},
      {"allocated", segments.allocated_bytes},
      {"of that asked for", segments.requested_bytes},
      {"given back, in use by a stream", segments.awaiting_bytes},
      {"free", segments.free_bytes},
      {"largest free block", segments.largest_free_bytes}};
  const UnitColumn size = Sizes(
      "size", rows, rows.size(), [](const auto& row) { return std::optional(row.second); }, style_);
  Table table(
      {{"memory", kText}, {size.Header(), kNumber}, {"share", kNumber, 90}, {"", kBar, 65}});
  for (const auto& [name, bytes] : rows) {
    const double share = Ratio(bytes, segments.reserved_bytes);
    table.AddRow({std::string(name), size.Cell(bytes), FormatShare(share),
                  TableCell::Bar(share, Ink::kKernel)});
  }
  out_ += table.Render(style_);
  if (segments.out_of_memory_count > 0) {
    Say(fmt::format("Memory ran out {} time{} in the recorded history.",
                    FormatCount(static_cast<int64_t>(segments.out_of_memory_count)),
                    segments.out_of_memory_count == 1 ? "" : "s"));
  }
}

void MemoryTextBuilder::Leaks() {
  std::vector<std::pair<const FileMemory*, const LeakRow*>> rows;
  std::optional<uint64_t> checked;
  for (const FileMemory& file : view_.files) {
    checked = std::max(checked, file.report.leak_steps);
    for (const LeakRow& leak : file.report.leaks) rows.emplace_back(&file, &leak);
  }
  Begin("Left behind by every step", "");
  if (!checked) {
    return Say(
        "Not checked: that takes addresses (torch 1.10 or later) and at least three complete steps "
        "between the first and the last one (prof.step() after each iteration).");
  }
  if (rows.empty()) {
    return Say(
        fmt::format("Nothing: no operator leaves memory behind in each of the {} steps "
                    "between the first and the last one.",
                    *checked));
  }
  const size_t count = Shown(rows.size());
  const bool files = view_.files.size() > 1;
  const bool modules = std::any_of(rows.begin(), rows.end(),
                                   [](const auto& row) { return !row.second->module.empty(); });
  const UnitColumn per_step = Sizes(
      "a step", rows, count,
      [](const auto& row) {
        return std::optional(row.second->bytes / static_cast<int64_t>(row.second->steps.size()));
      },
      style_);
  const UnitColumn total = Sizes(
      "in all", rows, count, [](const auto& row) { return std::optional(row.second->bytes); },
      style_);
  std::vector<TableColumn> columns;
  if (files) columns.push_back({"file", kName, 60, 12});
  columns.push_back({"device", kText, 70});
  columns.push_back({"operator", kName, TableColumn::kAlways, 24});
  if (modules) columns.push_back({"module", kName, 65, 16});
  columns.push_back({per_step.Header(), kNumber});
  columns.push_back({total.Header(), kNumber, 80});
  columns.push_back({"blocks", kNumber, 75});
  columns.push_back({"steps", kNumber, 50});
  Table table(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const auto& [file, leak] = rows[i];
    std::vector<TableCell> cells;
    if (files) cells.emplace_back(Safe(file->label));
    cells.emplace_back(DeviceLabel(file->report.devices[leak->device]));
    cells.emplace_back(leak->op.empty() ? "none" : Safe(leak->op));
    if (modules) cells.emplace_back(leak->module.empty() ? Missing(style_) : Safe(leak->module));
    const auto steps = static_cast<int64_t>(leak->steps.size());
    cells.emplace_back(per_step.Cell(leak->bytes / steps));
    cells.emplace_back(total.Cell(leak->bytes));
    cells.emplace_back(FormatCount(static_cast<int64_t>(leak->count)));
    cells.emplace_back(FormatCount(steps));
    table.AddRow(std::move(cells));
  }
  out_ += table.Render(style_);
}

std::string MemoryTextBuilder::Build() {
  if (view_.devices.empty()) {
    Begin("Memory", "");
    Say(Answer());
    return std::move(out_);
  }
  const ShownDevice& main = MainDevice(view_.devices);
  const DeviceMemory& device = main.device();
  Say(AnswerOf(main), 0, Ink::kBold);
  Devices();
  Curve(main);
  if (device.at_peak) {
    const MemoryAtPeak& peak = *device.at_peak;
    Shares("At the peak, by category", "category", peak.by_category, device, false);
    Shares("At the peak, by place in the program", "place", peak.by_frame, device, true);
    Shares("At the peak, by operator", "operator", peak.by_operator, device, true);
    Shares("At the peak, by module", "module", peak.by_module, device, false);
    Shares("At the peak, by step of allocation", "step", peak.by_step, device, false);
    std::vector<AllocationView> blocks;
    for (const AllocationRow& row : peak.blocks) blocks.push_back({main.file, &row});
    Blocks("Largest blocks at the peak", blocks, Shown(blocks.size()), "by size");
  }
  Segments(device);
  Operators(device);
  if (view_.show_allocations) {
    Blocks("Blocks", view_.allocations, Shown(view_.allocations.size(), kBlockRows), view_.order);
  }
  if (!view_.without_trace) Leaks();
  return std::move(out_);
}

}  // namespace

std::string MemoryViewText(const MemoryView& view, std::optional<int64_t> limit,
                           const OutputStyle& style) {
  return MemoryTextBuilder(view, limit, style).Build();
}

std::string MemoryAnswer(const MemoryView& view, const OutputStyle& style) {
  return MemoryTextBuilder(view, std::nullopt, style).Answer();
}

}  // namespace telltale
