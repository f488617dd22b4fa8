// SPDX-License-Identifier: Apache-2.0
// `kernels`: each device event with its launch and its operator.
#include "query/tables/tables.h"

#include "analysis/core/sums.h"

namespace telltale {

namespace {

SpanRow SpanOf(const QueryFile& file, uint32_t row) { return file.Context().links.device[row]; }
const DeviceDetail& DetailOf(const QueryFile& file, uint32_t row) {
  static constexpr DeviceDetail kNone;
  const DeviceDetail* detail = file.trace->DeviceOf(SpanOf(file, row));
  return detail == nullptr ? kNone : *detail;
}
uint32_t CollectiveOf(const QueryFile& file, uint32_t row) {
  return DetailOf(file, row).collective;
}
SpanRow SpanOfNode(const QueryFile& file, NodeId node) {
  return node == kNoRow ? kNoRow : file.Context().tree.span[node];
}
SpanRow LaunchOf(const QueryFile& file, uint32_t row) {
  return SpanOfNode(file, file.Context().links.launch[row]);
}
SpanRow OwnerOf(const QueryFile& file, uint32_t row) {
  return SpanOfNode(file, file.Context().links.owner[row]);
}

Value Kind(const QueryFile& f, uint32_t r) {
  const SpanRow span = SpanOf(f, r);
  if (f.trace->spans.category[span] != Category::kKernel)
    return f.source().KindName(f.trace->spans.category[span]);
  return f.source().KernelKindName(IsCommunication(*f.trace, f.Context().facts, span));
}

template <int Axis>
Value Grid(const QueryFile& f, uint32_t r) {
  const DeviceDetail& detail = DetailOf(f, r);
  return detail.grid[0] == 0 ? Value::Null() : Value::Integer(detail.grid[Axis]);
}

template <int Axis>
Value Block(const QueryFile& f, uint32_t r) {
  const DeviceDetail& detail = DetailOf(f, r);
  return detail.block[0] == 0 ? Value::Null() : Value::Integer(detail.block[Axis]);
}

std::vector<SqlColumn> LaunchColumns() {
  return {
      {"launch_id", ColumnType::kInteger, "events.id of the call that launched it",
       [](const QueryFile& f, uint32_t r) { return f.EventId(LaunchOf(f, r)); }, Spread::kFew},
      {"launch", ColumnType::kText, "name of that call",
       [](const QueryFile& f, uint32_t r) { return f.EventName(LaunchOf(f, r)); }, Spread::kMany,
       TextNumbers::kPool},
      {"launch_start_ns", ColumnType::kInteger, "when that call began",
       [](const QueryFile& f, uint32_t r) {
         const SpanRow launch = LaunchOf(f, r);
         return launch == kNoRow ? Value::Null() : f.Time(f.trace->spans.start_ns[launch]);
       },
       Spread::kFew},
      {"launch_delay_ns", ColumnType::kInteger,
       "from the end of that call to start_ns; negative where the device was quicker",
       [](const QueryFile& f, uint32_t r) {
         const SpanRow launch = LaunchOf(f, r);
         if (launch == kNoRow) return Value::Null();
         return Value::Integer(
             Difference(f.trace->spans.start_ns[SpanOf(f, r)], f.trace->spans.end_ns(launch)));
       },
       Spread::kSome},
      {"operator_id", ColumnType::kInteger, "operators.id of the operator or annotation around it",
       [](const QueryFile& f, uint32_t r) { return f.EventId(OwnerOf(f, r)); }, Spread::kFew},
      {"operator", ColumnType::kText, "its name",
       [](const QueryFile& f, uint32_t r) { return f.EventName(OwnerOf(f, r)); }, Spread::kSome,
       TextNumbers::kPool},
      {"step", ColumnType::kText, "steps.name of the step that the launch began in",
       [](const QueryFile& f, uint32_t r) { return f.StepName(f.Places().step[SpanOf(f, r)]); },
       Spread::kSome, TextNumbers::kOwn},
  };
}

std::vector<SqlColumn> ConfigurationColumns() {
  return {
      {"grid_x", ColumnType::kInteger, "blocks", Grid<0>},
      {"grid_y", ColumnType::kInteger, "blocks", Grid<1>},
      {"grid_z", ColumnType::kInteger, "blocks", Grid<2>},
      {"block_x", ColumnType::kInteger, "threads of a block", Block<0>},
      {"block_y", ColumnType::kInteger, "threads of a block", Block<1>},
      {"block_z", ColumnType::kInteger, "threads of a block", Block<2>},
      {"registers_per_thread", ColumnType::kInteger, "registers of a thread",
       [](const QueryFile& f, uint32_t r) {
         const int32_t registers = DetailOf(f, r).registers_per_thread;
         return registers < 0 ? Value::Null() : Value::Integer(registers);
       }},
      {"shared_memory_bytes", ColumnType::kInteger, "shared memory of a block",
       [](const QueryFile& f, uint32_t r) {
         const int64_t bytes = DetailOf(f, r).shared_memory_bytes;
         return bytes < 0 ? Value::Null() : Value::Integer(bytes);
       }},
      {"blocks_per_sm", ColumnType::kReal, "blocks per multiprocessor",
       [](const QueryFile& f, uint32_t r) {
         return Value::CapturedReal(DetailOf(f, r).blocks_per_sm);
       }},
      {"warps_per_sm", ColumnType::kReal, "warps per multiprocessor",
       [](const QueryFile& f, uint32_t r) {
         return Value::CapturedReal(DetailOf(f, r).warps_per_sm);
       }},
      {"achieved_occupancy_share", ColumnType::kReal, "estimated achieved occupancy, 0 to 1",
       [](const QueryFile& f, uint32_t r) {
         return Value::CapturedReal(DetailOf(f, r).occupancy_percent / 100);
       }},
      {"tensor_core", ColumnType::kInteger, "1 if its name says that it uses tensor cores",
       [](const QueryFile& f, uint32_t r) {
         const SpanRow span = SpanOf(f, r);
         const bool uses =
             f.trace->spans.category[span] == Category::kKernel &&
             f.Context().facts.Is(f.trace->spans.name[span], NameFact::kTensorCoreKernel);
         return Value::Integer(uses ? 1 : 0);
       }},
      {"bytes", ColumnType::kInteger, "bytes copied or set",
       [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).bytes); },
       Spread::kSome},
      {"bandwidth_gb_per_s", ColumnType::kReal, "memory bandwidth, as written",
       [](const QueryFile& f, uint32_t r) {
         return Value::CapturedReal(DetailOf(f, r).bandwidth_gb_per_s);
       }},
      {"graph_id", ColumnType::kInteger, "CUDA graph it is part of",
       [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).graph_id); }},
      {"graph_node_id", ColumnType::kInteger, "node of that graph",
       [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).graph_node_id); },
       Spread::kFew},
  };
}

}  // namespace

SqlTable KernelsTable() {
  SqlTable table;
  table.name = "kernels";
  table.meaning = "each device event: kernels, copies and sets";
  table.rows = [](const QueryFile& f) { return f.trace == nullptr ? 0 : f.Context().links.size(); };
  table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->device_details.size();
  };
  table.columns = {{"id", ColumnType::kInteger, "events.id",
                    [](const QueryFile& f, uint32_t r) { return f.EventId(SpanOf(f, r)); },
                    Spread::kUnique}};
  Append(table.columns, FileColumns());
  Append(table.columns,
         {{"kind", ColumnType::kText, "compute, communication, memcpy or memset", Kind,
           Spread::kMany, TextNumbers::kOwn},
          {"name", ColumnType::kText, "name, as written",
           [](const QueryFile& f, uint32_t r) { return f.EventName(SpanOf(f, r)); }, Spread::kSome,
           TextNumbers::kPool},
          {"device", ColumnType::kInteger, "device it ran on",
           [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).device); }},
          {"stream", ColumnType::kInteger, "stream it ran on",
           [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).stream); }}});
  Append(table.columns, TimeColumns<SpanOf>());
  Append(
      table.columns,
      {{"correlation", ColumnType::kInteger, "what it shares with its launch",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).correlation); },
        Spread::kFew},
       {"external_id", ColumnType::kInteger, "External id, as written",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).external_id); },
        Spread::kFew}});
  Append(table.columns, LaunchColumns());
  Append(table.columns, ConfigurationColumns());
  Append(table.columns, CollectiveColumns<CollectiveOf>());
  return table;
}

}  // namespace telltale
