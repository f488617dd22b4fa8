// SPDX-License-Identifier: Apache-2.0
// `--view memory`: where memory goes. The analysis is analysis/memory/memory.h.
#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "analysis/core/sums.h"
#include "analysis/memory/curve.h"
#include "analysis/memory/memory.h"
#include "analysis/memory/profile_report.h"
#include "views/memory/memory_view.h"
#include "views/rows.h"
#include "views/sections.h"

namespace telltale {

namespace {

FieldValue OrMissing(const std::optional<int64_t>& value) {
  return value ? FieldValue(*value) : FieldValue();
}

FieldValue TextOrMissing(const AllocationView& view, MemoryText text) {
  const std::string* found = view.file->report.TextOf(text);
  return found != nullptr ? FieldValue(std::string_view(*found)) : FieldValue();
}

const DeviceMemory& DeviceOf(const AllocationView& view) {
  return view.file->report.devices[view.row->device];
}

const RowFields<MemoryOperatorRow>& OperatorMemoryFields() {
  using Row = MemoryOperatorRow;
  static const RowFields<Row> fields = {
      {"name", [](const Row& r) { return FieldValue(std::string_view(r.name)); }},
      {"calls", [](const Row& r) { return FieldValue(r.calls); }},
      {"size_increase_bytes", [](const Row& r) { return FieldValue(r.size_increase_bytes); }},
      {"self_size_increase_bytes",
       [](const Row& r) { return FieldValue(r.self_size_increase_bytes); }},
      {"allocation_count", [](const Row& r) { return FieldValue(r.allocation_count); }},
      {"self_allocation_count", [](const Row& r) { return FieldValue(r.self_allocation_count); }},
      {"allocation_bytes", [](const Row& r) { return FieldValue(r.allocation_bytes); }},
      {"self_allocation_bytes", [](const Row& r) { return FieldValue(r.self_allocation_bytes); }},
  };
  return fields;
}

// Of all curves of a document; one alone has kMostCurvePoints.
constexpr size_t kMostPoints = 16'000;

void WriteCurve(const DeviceMemory& device, size_t curves, JsonWriter& json) {
  const std::vector<size_t> kept =
      PointsToKeep(device.curve, std::min(kMostCurvePoints, kMostPoints / curves));
  json.Key("curve");
  json.BeginObject();
  json.Field("captured", !device.relative);
  json.Field("point_count", device.point_count);
  json.Key("times_ns");
  json.BeginArray();
  for (const size_t i : kept) json.Int(device.curve[i].time_ns);
  json.EndArray();
  json.Key("allocated_bytes");
  json.BeginArray();
  for (const size_t i : kept) json.Int(device.curve[i].allocated_bytes);
  json.EndArray();
  json.Key("reserved_bytes");
  if (!device.peak_reserved_bytes) {
    json.Null();
  } else {
    json.BeginArray();
    for (const size_t i : kept) {
      const std::optional<int64_t> reserved = device.curve[i].reserved_bytes;
      reserved ? json.Int(*reserved) : json.Null();
    }
    json.EndArray();
  }
  json.Key("categories");
  if (device.categories.empty()) {
    json.Null();
  } else {
    json.BeginArray();
    for (const MemoryCategoryCurve& category : device.categories) {
      json.BeginObject();
      json.Field("name", category.name);
      json.Key("bytes");
      json.BeginArray();
      for (const size_t i : kept) json.Int(category.bytes[i]);
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

void WriteSegments(const std::optional<MemorySegments>& segments, JsonWriter& json) {
  json.Key("segments");
  if (!segments) return json.Null();
  json.BeginObject();
  json.Field("segment_count", segments->segment_count);
  json.Field("reserved_bytes", segments->reserved_bytes);
  json.Field("allocated_bytes", segments->allocated_bytes);
  json.Field("requested_bytes", segments->requested_bytes);
  json.Field("awaiting_free_bytes", segments->awaiting_bytes);
  json.Field("free_bytes", segments->free_bytes);
  json.Field("largest_free_bytes", segments->largest_free_bytes);
  json.Field("out_of_memory_count", segments->out_of_memory_count);
  json.EndObject();
}

// null where the capture has nothing to sum by; the name of a row is null for blocks without it.
void WriteShares(std::string_view key, const std::vector<MemoryShare>& shares, int64_t limit,
                 JsonWriter& json) {
  json.Key(key);
  if (shares.empty()) return json.Null();
  json.BeginArray();
  const size_t count = Limited(shares.size(), limit);
  for (size_t i = 0; i < count; ++i) {
    json.BeginObject();
    json.Field("name", shares[i].name.empty() ? std::nullopt : std::optional(shares[i].name));
    json.Field("bytes", shares[i].bytes);
    json.Field("count", shares[i].count);
    json.EndObject();
  }
  json.EndArray();
}

void WriteAtPeak(const ShownDevice& shown, int64_t limit, JsonWriter& json) {
  json.Key("at_peak");
  const std::optional<MemoryAtPeak>& peak = shown.device().at_peak;
  if (!peak) return json.Null();
  json.BeginObject();
  json.Field("known_bytes", peak->known_bytes);
  json.Field("before_bytes", peak->before_bytes);
  WriteShares("operators", peak->by_operator, limit, json);
  WriteShares("modules", peak->by_module, limit, json);
  WriteShares("steps", peak->by_step, limit, json);
  WriteShares("frames", peak->by_frame, limit, json);
  WriteShares("categories", peak->by_category, limit, json);
  json.Key("largest");
  json.BeginArray();
  const size_t count = Limited(peak->blocks.size(), limit);
  for (size_t i = 0; i < count; ++i) {
    WriteJsonRow(AllocationView{shown.file, &peak->blocks[i]}, AllocationFields(), json);
  }
  json.EndArray();
  json.EndObject();
}

void WriteDevice(const ShownDevice& shown, size_t devices, int64_t limit, JsonWriter& json) {
  const DeviceMemory& device = shown.device();
  json.BeginObject();
  json.Field("file", shown.file->file);
  json.Field("type", device.type.empty() ? std::nullopt : std::optional(device.type));
  json.Field("id", device.id);
  json.Field("name", device.name.empty() ? std::nullopt : std::optional(device.name));
  json.Field("memory_bytes", device.total_bytes);
  json.Key("peak_allocated_bytes");
  const bool known = device.peak_ns || device.segments;
  WriteJson(OrMissing(known ? std::optional(device.peak_allocated_bytes) : std::nullopt), json);
  json.Field("peak_ns", device.peak_ns);
  json.Field("peak_step", device.peak_step);
  json.Field("peak_reserved_bytes", device.peak_reserved_bytes);
  json.Field("fragmentation_at_peak_bytes", device.fragmentation_at_peak_bytes);
  json.Field("fragmentation_max_bytes", device.fragmentation_max_bytes);
  json.Field("allocation_count", device.allocation_count);
  json.Field("release_count", device.release_count);
  json.Field("released_from_before_count", device.released_from_before_count);
  json.Field("never_released_count", device.never_released_count);
  WriteCurve(device, devices, json);
  WriteSegments(device.segments, json);
  WriteAtPeak(shown, limit, json);
  WriteJsonRows("operators", device.operators, OperatorMemoryFields(), limit, json);
  json.EndObject();
}

void WriteLeaks(const MemoryView& view, int64_t limit, JsonWriter& json) {
  json.Key("leaks");
  json.BeginArray();
  for (const FileMemory& file : view.files) {
    if (!file.report.leak_steps) continue;
    json.BeginObject();
    json.Field("file", file.file);
    json.Field("checked_steps", *file.report.leak_steps);
    json.Key("rows");
    json.BeginArray();
    const size_t count = Limited(file.report.leaks.size(), limit);
    for (size_t i = 0; i < count; ++i) {
      const LeakRow& leak = file.report.leaks[i];
      const DeviceMemory& device = file.report.devices[leak.device];
      json.BeginObject();
      json.Field("device_type", device.type);
      json.Field("device_id", device.id);
      json.Field("operator", leak.op.empty() ? std::nullopt : std::optional(leak.op));
      json.Field("module", leak.module.empty() ? std::nullopt : std::optional(leak.module));
      json.Field("bytes", leak.bytes);
      json.Field("count", leak.count);
      json.Key("steps");
      json.BeginArray();
      for (const LeakStep& step : leak.steps) {
        json.BeginObject();
        json.Field("step", step.step);
        json.Field("bytes", step.bytes);
        json.Field("count", step.count);
        json.EndObject();
      }
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

class MemorySectionView final : public Section {
 public:
  explicit MemorySectionView(MemoryView view) : view_(std::move(view)) {}
  MemoryView& view() { return view_; }

  void WriteJson(RowRange range, JsonWriter& json) const override {
    const int64_t limit = range.limit;
    if (view_.files.empty()) return json.Null();
    json.BeginObject();
    json.Key("devices");
    json.BeginArray();
    for (const ShownDevice& device : view_.devices) {
      WriteDevice(device, view_.devices.size(), limit, json);
    }
    json.EndArray();
    uint64_t left_out = 0;
    for (const FileMemory& file : view_.files) left_out += file.report.left_out;
    json.Field("left_out_count", left_out);
    WriteLeaks(view_, limit, json);
    if (view_.show_allocations)
      WriteJsonRows("allocations", view_.allocations, AllocationFields(), range, json);
    json.EndObject();
  }
  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(view_.allocations, AllocationFields(), limit, output);
  }
  [[nodiscard]] size_t rows() const override { return view_.allocations.size(); }
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    return MemoryAnswer(view_, style);
  }
  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override {
    return MemoryViewText(view_, limit, style);
  }

 private:
  MemoryView view_;
};

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

std::unique_ptr<Section> Make(const SectionInput& input) {
  MemoryView made;
  made.reports = input.facts.Memory();
  for (size_t file = 0; file < input.traces.size(); ++file) {
    const MemoryReport& report = (*made.reports)[file];
    if (report.devices.empty()) continue;
    made.files.push_back({static_cast<uint32_t>(file),
                          input.profile.files.size() > 1 ? LabelOf(input.profile.files[file]) : "",
                          report});
  }
  const size_t first_memory = input.profile.files.size() - input.memory.size();
  for (size_t i = 0; i < input.memory.size(); ++i) {
    const size_t file = first_memory + i;
    made.files.push_back({static_cast<uint32_t>(file),
                          input.profile.files.size() > 1 ? LabelOf(input.profile.files[file]) : "",
                          (*made.reports)[input.traces.size() + i]});
    made.without_trace = true;
  }
  made.asked_device = std::string(input.arguments.Text("device"));
  made.show_allocations = input.arguments.Has("allocations") || input.sort_field.has_value();

  auto section = std::make_unique<MemorySectionView>(std::move(made));
  MemoryView& view = section->view();  // the rows point into what it holds
  for (const FileMemory& file : view.files) {
    std::vector<bool> asked;
    for (uint32_t i = 0; i < file.report.devices.size(); ++i) {
      asked.push_back(IsAsked(file.report.devices[i], view.asked_device));
      if (asked.back()) view.devices.push_back({&file, i});
    }
    for (const AllocationRow& row : file.report.allocations) {
      if (asked[row.device]) view.allocations.push_back({&file, &row});
    }
  }
  view.order = "by time";
  if (input.sort_field) {
    SortRows(view.allocations, AllocationFields(), *input.sort_field);
    view.order = "by " + *input.sort_field;
  }
  return section;
}

}  // namespace

const RowFields<AllocationView>& AllocationFields() {
  static const RowFields<AllocationView> fields = {
      {"file", [](const AllocationView& v) { return FieldValue(int64_t{v.file->file}); }},
      {"device_type",
       [](const AllocationView& v) { return FieldValue(std::string_view(DeviceOf(v).type)); }},
      {"device_id", [](const AllocationView& v) { return OrMissing(DeviceOf(v).id); }},
      {"bytes", [](const AllocationView& v) { return FieldValue(v.row->bytes); }},
      {"address",
       [](const AllocationView& v) {
         return v.row->address ? FieldValue(*v.row->address) : FieldValue();
       }},
      {"allocated_ns", [](const AllocationView& v) { return OrMissing(v.row->allocated_ns); }},
      {"released_ns", [](const AllocationView& v) { return OrMissing(v.row->released_ns); }},
      {"life_ns",
       [](const AllocationView& v) {
         const bool known = v.row->allocated_ns && v.row->released_ns;
         return known ? FieldValue(Difference(*v.row->released_ns, *v.row->allocated_ns))
                      : FieldValue();
       }},
      {"operator", [](const AllocationView& v) { return TextOrMissing(v, v.row->op); }},
      {"parent_operator",
       [](const AllocationView& v) { return TextOrMissing(v, v.row->parent_op); }},
      {"module", [](const AllocationView& v) { return TextOrMissing(v, v.row->module); }},
      {"step", [](const AllocationView& v) { return TextOrMissing(v, v.row->step); }},
      {"frame", [](const AllocationView& v) { return TextOrMissing(v, v.row->frame); }},
  };
  return fields;
}

std::string_view SortName(const AllocationView& view) {
  const std::string* op = view.file->report.TextOf(view.row->op);
  return op != nullptr ? std::string_view(*op) : std::string_view();
}

std::string DeviceLabel(const DeviceMemory& device) {
  if (device.type == "cpu") return "CPU";
  if (device.type.empty()) return "the device";
  std::string label = device.type == "cuda" || device.type == "hip" ? "GPU" : device.type;
  if (device.id) label += " " + std::to_string(*device.id);
  return label;
}

SectionSpec MemorySection() {
  return {
      .name = "memory",
      .help = "memory of each device: curve, peak, blocks, operators, what steps leave behind",
      .sort_fields = FieldNames(AllocationFields()),
      .options = {{.name = "device",
                   .type = OptionType::kText,
                   .value = "NAME",
                   .help = "memory of one device: cpu, cuda:0, gpu0 ..."},
                  {.name = "allocations", .help = "with the memory view: every single block, too"}},
      .check = nullptr,
      .make = Make,
      .needs_trace = false,
      .options_choose_view = true};
}

}  // namespace telltale
