// SPDX-License-Identifier: Apache-2.0
// `--view memory`: where memory goes. The analysis is analysis/memory/memory.h.
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/lane_parts.h"
#include "views/memory/chart.h"
#include "views/memory/memory_view.h"
#include "views/memory/tables.h"
#include "views/page_causes.h"
#include "views/render/document.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

constexpr size_t kRows = 10;       // of each table, unless a limit is given
constexpr size_t kBlockRows = 20;  // where blocks were asked for

// "cuda:0", "GPU 0" and "gpu0" are the same.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ' && c != ':' && c != '_')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

bool IsAsked(const DeviceMemory& device, std::string_view asked) {
  if (asked.empty()) return true;
  const std::string plain = Plain(asked);
  const std::string id = device.id ? std::to_string(*device.id) : "";
  const bool gpu = device.type != "cpu";
  return plain == device.type + id || plain == device.type || plain == Plain(DeviceLabel(device)) ||
         (gpu && (plain == id || plain == "gpu"));
}

std::vector<MemoryOfFile> FilesOf(const ViewInput& input,
                                  const std::vector<MemoryReport>& reports) {
  const auto& profiles = input.profile.files;
  std::vector<MemoryOfFile> files;
  auto report = reports.begin();
  const auto add = [&](ArtifactId id, bool always) {
    const MemoryReport& of = *report++;
    if (!always && of.devices.empty()) return;
    files.push_back({id, profiles.size() > 1 ? LabelOf(profiles[IndexOf(id)]) : std::string(), of});
  };
  for (const ArtifactId id : input.subject.IdsOf<Trace>()) add(id, false);
  for (const ArtifactId id : input.subject.IdsOf<MemoryProfile>()) add(id, true);
  return files;
}

std::string CurveText(const DeviceMemory& device, bool others, const OutputStyle& style) {
  const std::string chart = RenderMemoryChart(device.curve, style);
  if (chart.empty()) return "";
  std::vector<std::string> remarks;
  if (device.relative) remarks.emplace_back("relative to the beginning: totals were not captured");
  remarks.push_back(fmt::format("{} events", FormatCount(static_cast<int64_t>(
                                                 device.allocation_count + device.release_count))));
  if (others) remarks.emplace_back("--device shows another");
  return "\n" +
         Heading(fmt::format("Allocated on {}", DeviceLabel(device)),
                 fmt::format("{}", fmt::join(remarks, style.unicode ? " · " : ", ")), style) +
         chart;
}

// `with_before`: what was there before the recording is a row of its own, beyond the limit.
void AddShares(std::string title, std::string column, const std::vector<MemoryShare>& shares,
               const DeviceMemory& device, bool with_before, size_t limit, Document& document) {
  if (shares.empty()) return;
  std::vector<MemoryShare> rows(
      shares.begin(), shares.begin() + static_cast<ptrdiff_t>(CountShown(shares.size(), limit)));
  const int64_t before = device.at_peak->before_bytes.value_or(0);
  if (with_before && before > 0)
    rows.insert(rows.begin(), {"before the recording", before, std::nullopt});
  document.AddTable("", MemoryShareTable(std::move(column), device.peak_allocated_bytes),
                    std::move(rows),
                    {.title = std::move(title),
                     .words =
                         [limit, all = shares.size()](size_t, size_t, const OutputStyle& style) {
                           return Remark("by size", limit, all, style);
                         },
                     .every_row = true});
}

void AddBlocks(std::string_view key, std::vector<AllocationView> rows, std::optional<int64_t> limit,
               const TablePlace& place, Document& document) {
  const auto shown =
      static_cast<ptrdiff_t>(CountShown(rows.size(), RowLimit(limit, place.usual_rows)));
  const bool frames =
      std::any_of(rows.begin(), rows.begin() + shown,
                  [](const AllocationView& view) { return view.row->frame != kNoMemoryText; });
  document.AddTable(key, AllocationTable(frames), std::move(rows), place);
}

// What of a device is for people alone; programs get it with the device.
void AddDevice(const ShownDevice& shown, std::optional<int64_t> limit, Document& document) {
  const DeviceMemory& device = shown.device();
  if (device.at_peak) {
    const MemoryAtPeak& peak = *device.at_peak;
    const auto add = [&](std::string title, std::string column,
                         const std::vector<MemoryShare>& rows, bool with_before) {
      AddShares("At the peak, by " + std::move(title), std::move(column), rows, device, with_before,
                RowLimit(limit, kRows), document);
    };
    add("category", "category", peak.by_category, false);
    add("place in the program", "place", peak.by_frame, true);
    add("operator", "operator", peak.by_operator, true);
    add("module", "module", peak.by_module, false);
    add("step of allocation", "step", peak.by_step, false);
    std::vector<AllocationView> blocks;
    for (const AllocationRow& row : peak.blocks) blocks.push_back({shown.file, &row});
    AddBlocks("", std::move(blocks), limit,
              {.title = "Largest blocks at the peak", .remark = "by size", .usual_rows = kRows},
              document);
  }
  if (device.segments) {
    const MemorySegments& segments = *device.segments;
    const uint64_t out = segments.out_of_memory_count;
    document.AddTable(
        "", SegmentTable(), SegmentRows(segments),
        {.title = "When the snapshot was taken",
         .remark =
             fmt::format("{} segments", FormatCount(static_cast<int64_t>(segments.segment_count))),
         .note = out == 0 ? ""
                          : fmt::format("Memory ran out {} in the recorded history.",
                                        Plural(out, "time")),
         .every_row = true});
  }
  document.AddTable("", MemoryOperatorTable(), device.operators,
                    {.title = fmt::format("Operators on {}", DeviceLabel(device)),
                     .remark = "by what they allocate and do not free themselves",
                     .usual_rows = kRows});
}

void AddLeaks(const MemoryView& view, Document& document) {
  const std::string title = "Left behind by every step";
  std::optional<uint64_t> checked;
  std::vector<LeakView> rows;
  for (const MemoryOfFile& file : view.files) {
    checked = std::max(checked, file.report.leak_steps);
    for (const LeakRow& leak : file.report.leaks) rows.push_back({&file, &leak});
  }
  if (rows.empty()) {
    const std::string why =
        checked ? fmt::format(
                      "Nothing: no operator leaves memory behind in each of the {} steps "
                      "between the first and the last one.",
                      *checked)
                : "Not checked: that takes addresses (torch 1.10 or later) and at least three "
                  "complete steps between the first and the last one (prof.step() after each "
                  "iteration).";
    return document.AddText([title, why](std::optional<int64_t>, const OutputStyle& style) {
      return "\n" + EmptyView(title, why, style);
    });
  }
  TableSpec<LeakView> table = LeakTable();
  if (view.files.size() == 1) table.Hide({"file"});
  if (std::all_of(rows.begin(), rows.end(),
                  [](const LeakView& leak) { return leak.row->module.empty(); }))
    table.Hide({"module"});
  document.AddTable("", table, std::move(rows),
                    {.title = title,
                     .words = [](size_t, size_t, const OutputStyle&) { return std::string(); },
                     .usual_rows = kRows});
}

Document Build(const ViewInput& input) {
  const auto view = std::make_shared<MemoryView>();  // the rows point into it
  view->reports = input.facts.Memory();
  view->files = FilesOf(input, *view->reports);
  view->asked_device = std::string(input.params.Text("device"));
  std::vector<AllocationView> allocations;
  std::vector<const MemoryOfFile*> checked;
  uint64_t left_out = 0;
  for (const MemoryOfFile& file : view->files) {
    std::vector<bool> asked;
    for (uint32_t i = 0; i < file.report.devices.size(); ++i) {
      asked.push_back(IsAsked(file.report.devices[i], view->asked_device));
      if (asked.back()) view->devices.push_back({&file, i});
    }
    for (const AllocationRow& row : file.report.allocations) {
      if (asked[row.device]) allocations.push_back({&file, &row});
    }
    if (file.report.leak_steps) checked.push_back(&file);
    left_out += file.report.left_out;
  }
  std::vector<ShownDevice>& devices = view->devices;
  for (ShownDevice& device : devices) {
    device.curves = devices.size();
    device.sentence = DeviceSentence(device, {});
    if (&device == &MainDevice(devices))
      device.sentence += CauseSentence(input.profile, {CauseKind::kAllocation}, {});
  }
  if (input.sort_field) SortRows(allocations, AllocationTable(), *input.sort_field);

  Document document("Memory", [view, &profile = input.profile](const OutputStyle& style) {
    return MemorySentence(*view, style) + CauseSentence(profile, {CauseKind::kAllocation}, style);
  });
  document.SetSentenceInk(Ink::kBold);
  if (devices.empty()) document.SetEmpty();
  const std::optional<int64_t> limit = input.params.Integer("limit");
  const bool any = !view->files.empty();  // else there is nothing for programs
  if (any) {
    const bool reserved = std::any_of(devices.begin(), devices.end(), [](const ShownDevice& d) {
      return d.device().peak_reserved_bytes.has_value();
    });
    TableSpec<ShownDevice> table = MemoryDeviceTable();
    if (view->files.size() == 1) table.Hide({"file"});
    if (!reserved)
      table.Hide({"peak_reserved_bytes", "fragmentation_at_peak_bytes", "fragmentation_max_bytes"});
    document.AddTable("devices", table, devices,
                      {.title = "Devices",
                       .remark = reserved ? "unused: reserved but not allocated at the peak" : "",
                       .whole = true,
                       .every_row = true});
    document.AddField("left_out_count", left_out);
    document.AddTable("leaks", CheckedFileTable(), std::move(checked), {.whole = true});
  }
  if (!devices.empty()) {
    const ShownDevice& main = MainDevice(devices);
    document.AddText([view, &main](std::optional<int64_t>, const OutputStyle& style) {
      return CurveText(main.device(), view->devices.size() > 1, style);
    });
    AddDevice(main, limit, document);
  }
  const bool blocks = input.params.Has("allocations") || input.sort_field;
  AddBlocks(any && blocks ? "allocations" : "", std::move(allocations), limit,
            {.title = "Blocks",
             .remark = "by " + input.sort_field.value_or("time"),
             .usual_rows = kBlockRows,
             .main = true,
             .terminal = blocks},
            document);
  if (!input.subject.Has<MemoryProfile>()) AddLeaks(*view, document);
  return document;
}

}  // namespace

ViewSpec DescribeMemory() {
  return {
      .name = "memory",
      .help = "memory of each device: curve, peak, blocks, operators, what steps leave behind",
      .needs = {.part = "memory",
                .words = "Needs profile_memory=True, or a memory snapshot.",
                .instead =
                    [](const ViewInput& input) { return input.subject.Has<MemoryProfile>(); }},
      .sort_fields = AllocationTable().keys(),
      .params = {{.name = "device",
                  .type = ParamType::kText,
                  .value = "NAME",
                  .help = "memory of one device: cpu, cuda:0, gpu0 ..."},
                 {.name = "allocations", .help = "with the memory view: every single block, too"}},
      .check = nullptr,
      .build = Build,
      .tables =
          [] {
            return std::vector{
                ForPage("MEMORY_DEVICES", "MemoryDeviceRow", MemoryDeviceTable()),
                ForPage("MEMORY_SHARES", "MemoryShareRow", MemoryShareTable("name")),
                ForPage("MEMORY_OPERATORS", "MemoryOperatorRow", MemoryOperatorTable()),
                ForPage("LEAKS", "LeakRow", LeakTable()),
                ForPage("", "CheckedFileRow", CheckedFileTable()),
                ForPage("ALLOCATIONS", "AllocationRow", AllocationTable())};
          },
      .needs_trace = false,
      .params_choose_view = true};
}

}  // namespace telltale
