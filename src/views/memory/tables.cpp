// SPDX-License-Identifier: Apache-2.0
#include "views/memory/tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/memory/curve.h"
#include "views/lane_parts.h"
#include "views/render/display.h"
#include "views/render/table_json.h"
#include "views/render/unit_column.h"

namespace telltale {

namespace {

using enum Quantity;
constexpr int kAlways = Shown::kAlways;

FieldValue Named(const std::string& text) {
  return text.empty() ? FieldValue() : FieldValue(std::string_view(text));
}

template <auto kMember>
auto OfDevice(const ShownDevice& row) {
  return Get<kMember>(row.device());
}

template <typename Row>
std::string FileText(const Row& row, const OutputStyle& style) {
  return Printable(row.file->label, style.unicode);
}

template <typename Row>
FieldValue FileNumber(const Row& row) {
  return uint64_t{IndexOf(row.file->id)};
}

template <typename Row>
FieldValue LabelOfDevice(const Row& row) {
  return DeviceLabel(row.device());
}

template <typename Row>
void WriteRows(const TableSpec<Row>& spec, const std::vector<Row>& rows, int64_t limit,
               JsonWriter& json) {
  WriteTableJson(RowTable<Row>(spec, std::span<const Row>(rows)), limit, json);
}

// Of all curves of a document; one alone has kMostCurvePoints.
constexpr size_t kMostPoints = 16'000;

void WriteCurve(const ShownDevice& shown, JsonWriter& json) {
  const DeviceMemory& device = shown.device();
  const std::vector<size_t> kept =
      PointsToKeep(device.curve, std::min(kMostCurvePoints, kMostPoints / shown.curves));
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

void WriteSegments(const ShownDevice& shown, JsonWriter& json) {
  const std::optional<MemorySegments>& segments = shown.device().segments;
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
  WriteRows(MemoryShareTable(""), shares, limit, json);
}

void WriteAtPeak(const ShownDevice& shown, int64_t limit, JsonWriter& json) {
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
  std::vector<AllocationView> blocks;
  for (const AllocationRow& row : peak->blocks) blocks.push_back({shown.file, &row});
  WriteRows(AllocationTable(), blocks, limit, json);
  json.EndObject();
}

template <typename Row>
ColumnSpec<Row> Nested(std::string_view key, void (*json)(const Row& row, JsonWriter& json)) {
  ColumnSpec<Row> column;
  column.key = key;
  column.json = json;
  return column;
}
template <typename Row>
ColumnSpec<Row> Lists(std::string_view key,
                      void (*json)(const Row& row, int64_t limit, JsonWriter& json)) {
  ColumnSpec<Row> column;
  column.key = key;
  column.limited_json = json;
  return column;
}

template <MemoryText AllocationRow::* kMember>
FieldValue TextOf(const AllocationView& row) {
  const std::string* const found = row.file->report.TextOf(row.row->*kMember);
  return found != nullptr ? FieldValue(std::string_view(*found)) : FieldValue();
}

// The operator or place that a block belongs to.
FieldValue OwnerOf(const AllocationView& view) {
  const AllocationRow& row = *view.row;
  const MemoryReport& report = view.file->report;
  if (row.frame != kNoMemoryText) return std::string_view(*report.TextOf(row.frame));
  const std::string* const op = report.TextOf(row.op);
  return op == nullptr ? FieldValue() : ShownOperator(*op, report.TextOf(row.parent_op));
}

std::string OwnerText(const AllocationView& view, const OutputStyle& style) {
  const FieldValue owner = OwnerOf(view);
  if (const auto* const frame = std::get_if<std::string_view>(&owner))
    return Printable(*frame, style.unicode);
  if (!view.row->allocated_ns) return "before the recording";
  const auto* const op = std::get_if<std::string>(&owner);
  return op == nullptr ? Missing(style) : Printable(*op, style.unicode);
}

FieldValue LifeOf(const AllocationView& view) {
  if (!view.row->allocated_ns || !view.row->released_ns) return {};
  return Difference(*view.row->released_ns, *view.row->allocated_ns);
}

int64_t BytesPerStep(const LeakView& view) {
  return view.row->bytes / std::max<int64_t>(1, static_cast<int64_t>(view.row->steps.size()));
}

}  // namespace

TableSpec<ShownDevice> MemoryDeviceTable() {
  using R = ShownDevice;
  using D = DeviceMemory;
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, FileNumber<R>,
            {.title = "file",
             .importance = 90,
             .least_width = 12,
             .presence = Presence::kSeveralFiles})
          .WithText(FileText<R>)
          .Known(),
      Field<R>("type", kText, [](const R& row) { return Named(row.device().type); }),
      Field("id", kId, OfDevice<&D::id>),
      Field("device", kText, LabelOfDevice<R>, {.title = "device", .importance = kAlways}).Known(),
      Field<R>("name", kName, [](const R& row) { return Named(row.device().name); },
               {.title = "name", .importance = 20, .least_width = 12}),
      Field("sentence", kText, Get<&R::sentence>),
      Field("memory_bytes", kBytes, OfDevice<&D::total_bytes>),
      Field<R>("peak_allocated_bytes", kBytes,
               [](const R& row) -> FieldValue {
                 const D& device = row.device();
                 const bool known = device.peak_ns || device.segments;
                 return known ? FieldValue(device.peak_allocated_bytes) : FieldValue();
               },
               {.title = "peak", .importance = kAlways})
          .WithText([](const R& row, const CellStyle& style) {
            return (row.device().relative ? "+" : "") +
                   style.InUnit(row.device().peak_allocated_bytes);
          })
          .OnPage("Peak allocated"),
      BarOf<R>("bar", "peak_allocated_bytes", {}),
      Field("peak_ns", kMoment, OfDevice<&D::peak_ns>),
      Field("peak_step", kText, OfDevice<&D::peak_step>,
            {.title = "in step", .importance = 70, .presence = Presence::kAnyValue}),
      Field("peak_reserved_bytes", kBytes, OfDevice<&D::peak_reserved_bytes>,
            {.title = "reserved", .importance = 80})
          .OnPage("Peak reserved"),
      Field("fragmentation_at_peak_bytes", kBytes, OfDevice<&D::fragmentation_at_peak_bytes>,
            {.title = "unused", .importance = 75})
          .WithHelp("reserved but not allocated at the peak"),
      Field("fragmentation_max_bytes", kBytes, OfDevice<&D::fragmentation_max_bytes>,
            {.title = "most unused", .importance = 50}),
      Field("allocation_count", kCount, OfDevice<&D::allocation_count>,
            {.title = "allocations", .importance = 60}),
      Field("release_count", kCount, OfDevice<&D::release_count>),
      Field("released_from_before_count", kCount, OfDevice<&D::released_from_before_count>),
      Field("never_released_count", kCount, OfDevice<&D::never_released_count>,
            {.title = "never released", .importance = 40}),
      Nested<R>("curve", WriteCurve).OfType("unknown"),
      Nested<R>("segments", WriteSegments).OfType("Readonly<Record<string, number>> | null"),
      Lists<R>("at_peak", WriteAtPeak).OfType("unknown"),
      Lists<R>("operators",
               [](const R& row, int64_t limit, JsonWriter& json) {
                 WriteRows(MemoryOperatorTable(), row.device().operators, limit, json);
               })
          .OfType("readonly MemoryOperatorRow[]"),
  };
  return spec;
}

TableSpec<AllocationView> AllocationTable(bool frames) {
  using R = AllocationView;
  using A = AllocationRow;
  TableSpec<R> spec;
  spec.name = [](const R& row) {
    const std::string* const op = row.file->report.TextOf(row.row->op);
    return op != nullptr ? std::string_view(*op) : std::string_view();
  };
  spec.columns = {
      Field("file", kFile, FileNumber<R>).Known(),
      Field<R>("device_type", kText,
               [](const R& row) { return Get<&DeviceMemory::type>(row.device()); }),
      Field<R>("device_id", kId, [](const R& row) { return Get<&DeviceMemory::id>(row.device()); }),
      Field<R>("bytes", kBytes, [](const R& row) { return Get<&A::bytes>(*row.row); },
               {.title = "size", .importance = kAlways}),
      BarOf<R>("bar", "bytes", {}),
      Field<R>("address", kId, [](const R& row) { return Get<&A::address>(*row.row); },
               {.title = "address", .importance = 30})
          .WithText([](const R& row, const OutputStyle& style) {
            return row.row->address ? fmt::format("{:#x}", *row.row->address) : Missing(style);
          }),
      Field<R>("allocated_ns", kMoment,
               [](const R& row) { return Get<&A::allocated_ns>(*row.row); },
               {.title = "allocated", .importance = 5, .terminal = false})
          .WithHelp("from the beginning of the recording; –: before it"),
      Field<R>("released_ns", kMoment, [](const R& row) { return Get<&A::released_ns>(*row.row); },
               {.title = "released", .importance = 5, .terminal = false})
          .WithHelp("–: never, as far as recorded"),
      Field("life_ns", kDuration, LifeOf, {.title = "life", .importance = 80})
          .NoSum()
          .WithText([](const R& row, const CellStyle& style) -> std::string {
            if (!row.row->released_ns && row.row->address) return "to the end";
            const FieldValue life = LifeOf(row);
            const auto* const ns = std::get_if<int64_t>(&life);
            return ns != nullptr ? style.InUnit(*ns) : Missing(style);
          }),
      Field("operator", kText, TextOf<&A::op>),
      Field("parent_operator", kText, TextOf<&A::parent_op>),
      Field("module", kName, TextOf<&A::module>,
            {.title = "module", .importance = 60, .presence = Presence::kAnyValue}),
      Field("step", kText, TextOf<&A::step>,
            {.title = "step", .importance = 70, .presence = Presence::kAnyValue}),
      Field("frame", kText, TextOf<&A::frame>),
      Field("owner", kName, OwnerOf,
            {.title = frames ? "place" : "operator", .importance = kAlways, .least_width = 24})
          .WithText(OwnerText),
  };
  spec.order = {"bytes",   "owner",        "module",      "step",
                "life_ns", "allocated_ns", "released_ns", "address"};
  return spec;
}

TableSpec<MemoryShare> MemoryShareTable(std::string title, int64_t peak_bytes) {
  using R = MemoryShare;
  TableSpec<R> spec;
  spec.columns = {
      Field<R>("name", kName, [](const R& row) { return Named(row.name); },
               {.title = std::move(title), .importance = kAlways, .least_width = 24})
          .WithText([](const R& row, const OutputStyle& style) {
            return row.name.empty() ? "none" : Printable(row.name, style.unicode);
          }),
      Field("bytes", kBytes, Get<&R::bytes>, {.title = "size", .importance = kAlways}),
      Field("count", kCount, Get<&R::count>, {.title = "blocks", .importance = 70}),
      Field<R>("share", kShare, nullptr, {.title = "share", .importance = 90})
          .WithText([peak_bytes](const R& row, const OutputStyle&) {
            return FormatShare(Ratio(row.bytes, peak_bytes));
          })
          .ForPeople(),
      BarOf<R>("bar", "bytes", {.importance = 65, .ink = Ink::kKernel}),
  };
  spec.order = {"name", "count", "bytes", "share", "bar"};
  return spec;
}

TableSpec<MemoryOperatorRow> MemoryOperatorTable() {
  using R = MemoryOperatorRow;
  TableSpec<R> spec;
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = "operator", .importance = kAlways, .least_width = 24})
          .Names(Naming::kOperator),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 60}),
      Field("size_increase_bytes", kBytes, Get<&R::size_increase_bytes>,
            {.title = "kept total", .importance = 80})
          .NoSum(),
      Field("self_size_increase_bytes", kBytes, Get<&R::self_size_increase_bytes>,
            {.title = "kept self", .importance = kAlways})
          .WithHelp("allocated less released while the operator itself ran"),
      BarOf<R>("kept_bar", "self_size_increase_bytes", {}),
      Field("allocation_count", kCount, Get<&R::allocation_count>),
      Field("self_allocation_count", kCount, Get<&R::self_allocation_count>,
            {.title = "allocations", .importance = 50}),
      Field("allocation_bytes", kBytes, Get<&R::allocation_bytes>,
            {.title = "allocated total", .importance = 40})
          .NoSum(),
      Field("self_allocation_bytes", kBytes, Get<&R::self_allocation_bytes>,
            {.title = "allocated self", .importance = 75}),
      BarOf<R>("allocated_bar", "self_allocation_bytes", {}),
  };
  spec.order = {"name",
                "calls",
                "self_size_increase_bytes",
                "size_increase_bytes",
                "self_allocation_count",
                "self_allocation_bytes",
                "allocation_bytes"};
  return spec;
}

TableSpec<LeakView> LeakTable() {
  using R = LeakView;
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, FileNumber<R>, {.title = "file", .importance = 60, .least_width = 12})
          .WithText(FileText<R>)
          .ForPeople(),
      Field<R>("device_type", kText,
               [](const R& row) { return Get<&DeviceMemory::type>(row.device()); }),
      Field<R>("device_id", kId, [](const R& row) { return Get<&DeviceMemory::id>(row.device()); }),
      Field("device", kText, LabelOfDevice<R>, {.title = "device", .importance = 70}).Known(),
      Field<R>("operator", kName, [](const R& row) { return Named(row.row->op); },
               {.title = "operator", .importance = kAlways, .least_width = 24})
          .WithText([](const R& row, const OutputStyle& style) {
            return row.row->op.empty() ? "none" : Printable(row.row->op, style.unicode);
          })
          .Names(Naming::kOperator),
      Field<R>("module", kName, [](const R& row) { return Named(row.row->module); },
               {.title = "module", .importance = 65}),
      Field<R>("per_step_bytes", kBytes,
               [](const R& row) -> FieldValue { return BytesPerStep(row); },
               {.title = "a step", .importance = kAlways})
          .Known(),
      BarOf<R>("bar", "per_step_bytes", {}),
      Field<R>("bytes", kBytes, [](const R& row) { return Get<&LeakRow::bytes>(*row.row); },
               {.title = "in all", .importance = 80}),
      Field<R>("count", kCount, [](const R& row) { return Get<&LeakRow::count>(*row.row); },
               {.title = "blocks", .importance = 75}),
      Field<R>("step_count", kCount,
               [](const R& row) -> FieldValue { return uint64_t{row.row->steps.size()}; },
               {.title = "steps", .importance = 50})
          .Known(),
      Nested<R>("steps",
                [](const R& row, JsonWriter& json) {
                  json.BeginArray();
                  for (const LeakStep& step : row.row->steps) {
                    json.BeginObject();
                    json.Field("step", step.step);
                    json.Field("bytes", step.bytes);
                    json.Field("count", step.count);
                    json.EndObject();
                  }
                  json.EndArray();
                })
          .OfType("readonly { readonly step: string; readonly bytes: number; readonly count: "
                  "number }[]"),
  };
  return spec;
}

TableSpec<const MemoryOfFile*> CheckedFileTable() {
  using R = const MemoryOfFile*;
  TableSpec<R> spec;
  spec.columns = {
      Field<R>("file", kFile, [](const R& row) -> FieldValue { return uint64_t{IndexOf(row->id)}; })
          .Known(),
      Field<R>("checked_steps", kCount,
               [](const R& row) -> FieldValue { return *row->report.leak_steps; })
          .Known(),
      Lists<R>("rows",
               [](const R& row, int64_t limit, JsonWriter& json) {
                 std::vector<LeakView> leaks;
                 for (const LeakRow& leak : row->report.leaks) leaks.push_back({row, &leak});
                 WriteRows(LeakTable(), leaks, limit, json);
               })
          .OfType("readonly LeakRow[]"),
  };
  return spec;
}

TableSpec<SegmentRow> SegmentTable() {
  using R = SegmentRow;
  TableSpec<R> spec;
  spec.columns = {
      Field("name", kText, Get<&R::name>, {.title = "memory", .importance = kAlways}),
      Field("bytes", kBytes, Get<&R::bytes>, {.title = "size", .importance = kAlways}),
      Field("share", kShare, Get<&R::share>, {.title = "share", .importance = 90}),
      Field("bar", kBar, Get<&R::share>, {.importance = 65, .ink = Ink::kKernel}),
  };
  return spec;
}

std::vector<SegmentRow> SegmentRows(const MemorySegments& segments) {
  std::vector<SegmentRow> rows = {{"reserved", segments.reserved_bytes},
                                  {"allocated", segments.allocated_bytes},
                                  {"of that asked for", segments.requested_bytes},
                                  {"given back, in use by a stream", segments.awaiting_bytes},
                                  {"free", segments.free_bytes},
                                  {"largest free block", segments.largest_free_bytes}};
  for (SegmentRow& row : rows) row.share = Ratio(row.bytes, segments.reserved_bytes);
  return rows;
}

}  // namespace telltale
