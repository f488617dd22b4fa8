// SPDX-License-Identifier: Apache-2.0
// What happens at a moment: `memory`, `flows`, `counters` and `instants`, as captured.
#include <string>

#include "query/tables/tables.h"

namespace telltale {

namespace {

TrackId MemoryTrack(const QueryFile& f, uint32_t r) { return f.trace->memory.track[r]; }
TrackId FlowTrack(const QueryFile& f, uint32_t r) { return f.trace->flows.track[r]; }
TrackId CounterTrack(const QueryFile& f, uint32_t r) { return f.trace->counters.track[r]; }
TrackId InstantTrack(const QueryFile& f, uint32_t r) { return f.trace->instants.track[r]; }

constexpr std::string_view kTimeMeaning = "when: since 1970 where the trace knows, else as written";
constexpr std::string_view kOffsetMeaning = "first byte of the event in the decoded text";

// torch's DeviceType, those that profilers record.
std::string_view DeviceTypeName(int16_t type) {
  switch (type) {
    case 0:
      return "cpu";
    case 1:
      return "cuda";
    case 6:
      return "hip";
    case 12:
      return "xpu";
    case 13:
      return "mps";
    case 18:
      return "hpu";
    case 20:
      return "privateuse1";
    case 21:
      return "mtia";
    default:
      return {};
  }
}

std::string_view PhaseName(FlowPhase phase) {
  switch (phase) {
    case FlowPhase::kStart:
      return "start";
    case FlowPhase::kStep:
      return "step";
    case FlowPhase::kEnd:
      return "end";
  }
  return {};
}

}  // namespace

SqlTable MemoryTableSpec() {
  SqlTable table;
  table.name = "memory";
  table.meaning = "allocations and frees (profile_memory=True)";
  table.rows = table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->memory.size();
  };
  table.columns = FileColumns();
  Append(table.columns, TrackColumns<MemoryTrack>());
  Append(
      table.columns,
      {{"time_ns", ColumnType::kInteger, kTimeMeaning,
        [](const QueryFile& f, uint32_t r) { return f.Time(f.trace->memory.time_ns[r]); },
        Spread::kFew},
       {"address", ColumnType::kInteger, "where",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->memory.address[r]); },
        Spread::kFew},
       {"bytes", ColumnType::kInteger, "how much; negative: freed",
        [](const QueryFile& f, uint32_t r) { return Value::Integer(f.trace->memory.bytes[r]); },
        Spread::kSome},
       {"total_allocated_bytes", ColumnType::kInteger, "of the device, afterwards",
        [](const QueryFile& f, uint32_t r) {
          return Value::Captured(f.trace->memory.total_allocated[r]);
        },
        Spread::kSome},
       {"total_reserved_bytes", ColumnType::kInteger, "of the device, afterwards",
        [](const QueryFile& f, uint32_t r) {
          return Value::Captured(f.trace->memory.total_reserved[r]);
        },
        Spread::kSome},
       {"device_type", ColumnType::kText, "cpu, cuda, hip, xpu …; else torch's number",
        [](const QueryFile& f, uint32_t r) {
          const int16_t type = f.trace->memory.device_type[r];
          if (type < 0) return Value::Null();
          const std::string_view name = DeviceTypeName(type);
          return f.source().Own(name.empty() ? std::to_string(type) : name);
        },
        Spread::kMany, TextNumbers::kOwn},
       {"device", ColumnType::kInteger, "number of the device",
        [](const QueryFile& f, uint32_t r) {
          const int32_t device = f.trace->memory.device_id[r];
          return device < 0 ? Value::Null() : Value::Integer(device);
        }},
       {"byte_offset", ColumnType::kInteger, kOffsetMeaning,
        [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->memory.offset[r]); },
        Spread::kUnique}});
  return table;
}

SqlTable FlowsTable() {
  SqlTable table;
  table.name = "flows";
  table.meaning = "the ends of arrows: launch to kernel, forward to backward";
  table.rows = table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->flows.size();
  };
  table.columns = FileColumns();
  Append(table.columns, TrackColumns<FlowTrack>());
  Append(table.columns,
         {{"time_ns", ColumnType::kInteger, kTimeMeaning,
           [](const QueryFile& f, uint32_t r) { return f.Time(f.trace->flows.time_ns[r]); },
           Spread::kFew},
          {"flow_id", ColumnType::kInteger, "what the ends of an arrow share; a text is hashed",
           [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->flows.id[r]); },
           Spread::kFew},
          {"category", ColumnType::kText, "cat, as written: ac2g, fwdbwd …",
           [](const QueryFile& f, uint32_t r) {
             const auto id = static_cast<size_t>(f.trace->flows.category_id[r]);
             return f.Text(f.trace->categories[id].text);
           },
           Spread::kMany, TextNumbers::kPool},
          {"phase", ColumnType::kText, "start, step or end",
           [](const QueryFile& f, uint32_t r) {
             return f.source().Own(PhaseName(f.trace->flows.phase[r]));
           },
           Spread::kMany, TextNumbers::kOwn},
          {"byte_offset", ColumnType::kInteger, kOffsetMeaning,
           [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->flows.offset[r]); },
           Spread::kUnique}});
  return table;
}

SqlTable CountersTable() {
  SqlTable table;
  table.name = "counters";
  table.meaning = "values of counters over time";
  table.rows = table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->counters.size();
  };
  table.columns = FileColumns();
  Append(table.columns, TrackColumns<CounterTrack>());
  Append(
      table.columns,
      {{"time_ns", ColumnType::kInteger, kTimeMeaning,
        [](const QueryFile& f, uint32_t r) { return f.Time(f.trace->counters.time_ns[r]); },
        Spread::kFew},
       {"name", ColumnType::kText, "name of the counter",
        [](const QueryFile& f, uint32_t r) { return f.Text(f.trace->counters.name[r]); },
        Spread::kMany, TextNumbers::kPool},
       {"series", ColumnType::kText, "which of its values",
        [](const QueryFile& f, uint32_t r) { return f.Text(f.trace->counters.series[r]); },
        Spread::kMany, TextNumbers::kPool},
       {"value", ColumnType::kReal, "the value",
        [](const QueryFile& f, uint32_t r) { return Value::Real(f.trace->counters.value[r]); },
        Spread::kSome},
       {"byte_offset", ColumnType::kInteger, kOffsetMeaning,
        [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->counters.offset[r]); },
        Spread::kFew}});
  return table;
}

SqlTable InstantsTable() {
  SqlTable table;
  table.name = "instants";
  table.meaning = "instants other than memory, and asynchronous events";
  table.rows = table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->instants.size();
  };
  table.columns = FileColumns();
  Append(table.columns, TrackColumns<InstantTrack>());
  Append(
      table.columns,
      {{"time_ns", ColumnType::kInteger, kTimeMeaning,
        [](const QueryFile& f, uint32_t r) { return f.Time(f.trace->instants.time_ns[r]); },
        Spread::kFew},
       {"name", ColumnType::kText, "name, as written",
        [](const QueryFile& f, uint32_t r) { return f.Text(f.trace->instants.name[r]); },
        Spread::kSome, TextNumbers::kPool},
       {"category", ColumnType::kText, "cat, as written",
        [](const QueryFile& f, uint32_t r) {
          const auto id = static_cast<size_t>(f.trace->instants.category_id[r]);
          return f.Text(f.trace->categories[id].text);
        },
        Spread::kMany, TextNumbers::kPool},
       {"phase", ColumnType::kText,
        "i: an instant; b, n, e: begin, point, end of asynchronous ones",
        [](const QueryFile& f, uint32_t r) {
          return f.source().Own({&f.trace->instants.phase[r], 1});
        },
        Spread::kMany, TextNumbers::kOwn},
       {"async_id", ColumnType::kInteger, "what asynchronous events share; a text is hashed",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->instants.id[r]); },
        Spread::kFew},
       {"byte_offset", ColumnType::kInteger, kOffsetMeaning,
        [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->instants.offset[r]); },
        Spread::kUnique}});
  return table;
}

}  // namespace telltale
