// SPDX-License-Identifier: Apache-2.0
// `events`: every span of the traces, as captured.
#include "query/tables/tables.h"

namespace telltale {

namespace {

SpanRow SpanOf(const QueryFile&, uint32_t row) { return row; }
TrackId TrackOf(const QueryFile& file, uint32_t row) { return file.trace->spans.track[row]; }

const SyncDetail* SyncOf(const Trace& trace, uint32_t row) {
  const bool has = trace.spans.category[row] == Category::kSync;
  return has && trace.spans.detail[row] != kNoDetail ? &trace.sync_details[trace.spans.detail[row]]
                                                     : nullptr;
}

Value Device(const QueryFile& f, uint32_t r) {
  if (const DeviceDetail* device = f.trace->DeviceOf(r)) return Value::Captured(device->device);
  if (const SyncDetail* sync = SyncOf(*f.trace, r)) return Value::Captured(sync->device);
  return Value::Null();
}

Value Stream(const QueryFile& f, uint32_t r) {
  if (const DeviceDetail* device = f.trace->DeviceOf(r)) return Value::Captured(device->stream);
  if (const SyncDetail* sync = SyncOf(*f.trace, r)) return Value::Captured(sync->stream);
  return Value::Null();
}

Value Correlation(const QueryFile& f, uint32_t r) {
  if (const DeviceDetail* device = f.trace->DeviceOf(r))
    return Value::Captured(device->correlation);
  if (const RuntimeDetail* call = f.trace->RuntimeOf(r)) return Value::Captured(call->correlation);
  if (const SyncDetail* sync = SyncOf(*f.trace, r)) return Value::Captured(sync->correlation);
  return Value::Null();
}

Value ExternalId(const QueryFile& f, uint32_t r) {
  if (const OperatorDetail* op = f.trace->OperatorOf(r)) return Value::Captured(op->external_id);
  if (const RuntimeDetail* call = f.trace->RuntimeOf(r)) return Value::Captured(call->external_id);
  if (const DeviceDetail* device = f.trace->DeviceOf(r))
    return Value::Captured(device->external_id);
  return Value::Null();
}

template <StringId OperatorDetail::* Member>
Value OperatorText(const QueryFile& f, uint32_t r) {
  const OperatorDetail* detail = f.trace->OperatorOf(r);
  return detail == nullptr ? Value::Null() : f.Text(detail->*Member);
}

}  // namespace

SqlTable EventsTable() {
  SqlTable table;
  table.name = "events";
  table.meaning = "every span of the traces, in file order";
  table.rows = table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->spans.size();
  };
  table.columns = {{"id", ColumnType::kInteger,
                    "number of the event; the same in operators, kernels and python",
                    [](const QueryFile& f, uint32_t r) { return f.EventId(r); }, Spread::kUnique}};
  Append(table.columns, FileColumns());
  Append(table.columns,
         {{"kind", ColumnType::kText,
           "operator, annotation, runtime, kernel, memcpy, memset, python, gpu_annotation, sync, "
           "overhead, trace, other, unmatched",
           [](const QueryFile& f, uint32_t r) {
             return f.source().KindName(f.trace->spans.category[r]);
           },
           Spread::kMany, TextNumbers::kOwn},
          {"category", ColumnType::kText, "cat, as written",
           [](const QueryFile& f, uint32_t r) {
             const auto id = static_cast<size_t>(f.trace->spans.category_id[r]);
             return f.Text(f.trace->categories[id].text);
           },
           Spread::kMany, TextNumbers::kPool},
          {"name", ColumnType::kText, "name, as written",
           [](const QueryFile& f, uint32_t r) { return f.EventName(r); }, Spread::kSome,
           TextNumbers::kPool}});
  Append(table.columns, TrackColumns<TrackOf>());
  Append(table.columns, TimeColumns<SpanOf>());
  Append(
      table.columns,
      {{"device", ColumnType::kInteger, "device it ran on", Device},
       {"stream", ColumnType::kInteger, "stream it ran on", Stream},
       {"correlation", ColumnType::kInteger, "what a launch and its device events share",
        Correlation, Spread::kFew},
       {"external_id", ColumnType::kInteger, "External id, as written", ExternalId, Spread::kFew},
       {"step", ColumnType::kText,
        "steps.name of the step it began in; of device events: their launch",
        [](const QueryFile& f, uint32_t r) { return f.StepName(f.Places().step[r]); },
        Spread::kSome, TextNumbers::kOwn},
       {"operator_id", ColumnType::kInteger,
        "innermost operator or annotation around it; of device events: around their launch",
        [](const QueryFile& f, uint32_t r) { return f.EventId(f.Places().owner[r]); },
        Spread::kFew},
       {"operator", ColumnType::kText, "its name",
        [](const QueryFile& f, uint32_t r) { return f.EventName(f.Places().owner[r]); },
        Spread::kSome, TextNumbers::kPool},
       {"input_shapes", ColumnType::kText, "Input Dims as JSON (record_shapes=True)",
        OperatorText<&OperatorDetail::input_dims>, Spread::kSome, TextNumbers::kPool},
       {"input_types", ColumnType::kText, "Input type as JSON",
        OperatorText<&OperatorDetail::input_types>, Spread::kSome, TextNumbers::kPool},
       {"stack", ColumnType::kText, "Call stack, where the event itself has one",
        OperatorText<&OperatorDetail::call_stack>, Spread::kSome, TextNumbers::kPool},
       {"byte_offset", ColumnType::kInteger, "first byte of the event in the decoded text",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(f.trace->spans.offset[r]); },
        Spread::kUnique}});
  return table;
}

}  // namespace telltale
