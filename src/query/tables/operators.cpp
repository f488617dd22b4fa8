// SPDX-License-Identifier: Apache-2.0
// `operators`: each call of an operator or annotation, with its times. Grouped by name and kind it
// is the operator table of `telltale profile`.
#include "query/tables/tables.h"

namespace telltale {

namespace {

SpanRow SpanOf(const QueryFile& file, uint32_t row) {
  return file.Context().tree.span[file.Operators().node[row]];
}
TrackId TrackOf(const QueryFile& file, uint32_t row) {
  return file.trace->spans.track[SpanOf(file, row)];
}
const OperatorDetail& DetailOf(const QueryFile& file, uint32_t row) {
  static constexpr OperatorDetail kNone;
  const OperatorDetail* detail = file.trace->OperatorOf(SpanOf(file, row));
  return detail == nullptr ? kNone : *detail;
}
uint32_t CollectiveOf(const QueryFile& file, uint32_t row) {
  return DetailOf(file, row).collective;
}
SpanRow ParentOf(const QueryFile& file, uint32_t row) {
  const uint32_t parent = file.Operators().parent[row];
  return parent == kNoRow ? kNoRow : SpanOf(file, parent);
}

template <StringId OperatorDetail::* Member>
Value DetailText(const QueryFile& f, uint32_t r) {
  return f.Text(DetailOf(f, r).*Member);
}

template <int64_t GroupMemory::* Member>
Value Memory(const QueryFile& f, uint32_t r) {
  if (f.trace->memory.size() == 0) return Value::Null();
  return Value::Integer(f.OperatorMemory()[r].*Member);
}

}  // namespace

SqlTable OperatorsTable() {
  SqlTable table;
  table.name = "operators";
  table.meaning = "each call of an operator or annotation";
  table.rows = [](const QueryFile& f) { return f.trace == nullptr ? 0 : f.Operators().size(); };
  table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->operator_details.size();
  };
  table.columns = {{"id", ColumnType::kInteger, "events.id of the call",
                    [](const QueryFile& f, uint32_t r) { return f.EventId(SpanOf(f, r)); },
                    Spread::kUnique}};
  Append(table.columns, FileColumns());
  Append(table.columns, {{"kind", ColumnType::kText, "operator or annotation",
                          [](const QueryFile& f, uint32_t r) {
                            return f.source().KindName(f.trace->spans.category[SpanOf(f, r)]);
                          },
                          Spread::kMany, TextNumbers::kOwn},
                         {"name", ColumnType::kText, "name, as written",
                          [](const QueryFile& f, uint32_t r) { return f.EventName(SpanOf(f, r)); },
                          Spread::kSome, TextNumbers::kPool}});
  Append(table.columns, TrackColumns<TrackOf>());
  Append(table.columns, TimeColumns<SpanOf>());
  Append(
      table.columns,
      {{"host_total_ns", ColumnType::kInteger, "time on the host: duration_ns",
        [](const QueryFile& f, uint32_t r) {
          return Value::Integer(f.trace->spans.duration_ns[SpanOf(f, r)]);
        },
        Spread::kSome},
       {"host_self_ns", ColumnType::kInteger,
        "without the operators, annotations and runtime calls directly inside",
        [](const QueryFile& f, uint32_t r) {
          return Value::Integer(f.Operators().host_self_ns[r]);
        },
        Spread::kSome},
       {"device_total_ns", ColumnType::kInteger, "device events launched by it and inside it",
        [](const QueryFile& f, uint32_t r) {
          return Value::Integer(f.Operators().device_total_ns[r]);
        },
        Spread::kSome},
       {"device_self_ns", ColumnType::kInteger, "device events launched by it alone",
        [](const QueryFile& f, uint32_t r) {
          return Value::Integer(f.Operators().device_self_ns[r]);
        },
        Spread::kSome},
       {"memory_total_bytes", ColumnType::kInteger,
        "allocated less freed while it ran (profile_memory=True)",
        Memory<&GroupMemory::total_bytes>, Spread::kSome},
       {"memory_self_bytes", ColumnType::kInteger, "the same outside the calls inside it",
        Memory<&GroupMemory::self_bytes>, Spread::kSome},
       {"parent_id", ColumnType::kInteger, "id of the operator or annotation around it",
        [](const QueryFile& f, uint32_t r) { return f.EventId(ParentOf(f, r)); }, Spread::kFew},
       {"parent", ColumnType::kText, "its name",
        [](const QueryFile& f, uint32_t r) { return f.EventName(ParentOf(f, r)); }, Spread::kSome,
        TextNumbers::kPool},
       {"depth", ColumnType::kInteger, "operators and annotations around it",
        [](const QueryFile& f, uint32_t r) { return Value::Integer(f.Operators().depth[r]); }},
       {"step", ColumnType::kText, "steps.name of the step it began in",
        [](const QueryFile& f, uint32_t r) { return f.StepName(f.Places().step[SpanOf(f, r)]); },
        Spread::kSome, TextNumbers::kOwn},
       {"input_shapes", ColumnType::kText, "Input Dims as JSON (record_shapes=True)",
        DetailText<&OperatorDetail::input_dims>, Spread::kSome, TextNumbers::kPool},
       {"input_types", ColumnType::kText, "Input type as JSON",
        DetailText<&OperatorDetail::input_types>, Spread::kSome, TextNumbers::kPool},
       {"concrete_inputs", ColumnType::kText, "Concrete Inputs as JSON",
        DetailText<&OperatorDetail::concrete_inputs>, Spread::kSome, TextNumbers::kPool},
       {"stack", ColumnType::kText, "Call stack, where the event itself has one",
        DetailText<&OperatorDetail::call_stack>, Spread::kSome, TextNumbers::kPool},
       {"external_id", ColumnType::kInteger, "External id, as written",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).external_id); },
        Spread::kFew},
       {"sequence_number", ColumnType::kInteger, "what a forward operator and its backward share",
        [](const QueryFile& f, uint32_t r) {
          return Value::Captured(DetailOf(f, r).sequence_number);
        },
        Spread::kFew},
       {"forward_thread", ColumnType::kInteger, "Fwd thread id, as written",
        [](const QueryFile& f, uint32_t r) {
          return Value::Captured(DetailOf(f, r).forward_thread);
        }},
       {"finished", ColumnType::kInteger, "0 if it was still running when the recording ended",
        [](const QueryFile& f, uint32_t r) {
          return Value::Integer(DetailOf(f, r).finished ? 1 : 0);
        }}});
  Append(table.columns, CollectiveColumns<CollectiveOf>());
  return table;
}

}  // namespace telltale
