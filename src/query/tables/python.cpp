// SPDX-License-Identifier: Apache-2.0
// `python`: the Python frames that with_stack recorded.
#include "query/tables/tables.h"

namespace telltale {

namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";

SpanRow SpanOf(const QueryFile& file, uint32_t row) {
  return file.Python().tree.span[file.Python().node[row]];
}
TrackId TrackOf(const QueryFile& file, uint32_t row) {
  return file.trace->spans.track[SpanOf(file, row)];
}
SpanRow ParentOf(const QueryFile& file, uint32_t row) {
  const NodeId parent = file.Python().tree.parent[file.Python().node[row]];
  return parent == kNoRow ? kNoRow : file.Python().tree.span[parent];
}
const PythonDetail& DetailOf(const QueryFile& file, uint32_t row) {
  static constexpr PythonDetail kNone;
  const uint32_t detail = file.trace->spans.detail[SpanOf(file, row)];
  return detail == kNoDetail ? kNone : file.trace->python_details[detail];
}

Value Module(const QueryFile& f, uint32_t r) {
  std::string_view name = f.trace->NameOfSpan(SpanOf(f, r));
  if (!name.starts_with(kModulePrefix)) return Value::Null();
  name.remove_prefix(kModulePrefix.size());
  return Value::Text(name);
}

}  // namespace

SqlTable PythonTable() {
  SqlTable table;
  table.name = "python";
  table.meaning = "Python frames (with_stack=True): functions, modules, calls of C functions";
  table.rows = [](const QueryFile& f) { return f.trace == nullptr ? 0 : f.Python().node.size(); };
  table.about = [](const QueryFile& f) {
    return f.trace == nullptr ? 0 : f.trace->python_details.size();
  };
  table.columns = {{"id", ColumnType::kInteger, "events.id",
                    [](const QueryFile& f, uint32_t r) { return f.EventId(SpanOf(f, r)); },
                    Spread::kUnique}};
  Append(table.columns, FileColumns());
  Append(table.columns, {{"name", ColumnType::kText, "name, as written",
                          [](const QueryFile& f, uint32_t r) { return f.EventName(SpanOf(f, r)); },
                          Spread::kSome, TextNumbers::kPool}});
  Append(table.columns, TrackColumns<TrackOf>());
  Append(table.columns, TimeColumns<SpanOf>());
  Append(table.columns,
         {{"self_ns", ColumnType::kInteger, "without the frames directly inside",
           [](const QueryFile& f, uint32_t r) {
             return Value::Integer(f.Python().self_ns[f.Python().node[r]]);
           },
           Spread::kSome},
          {"parent_id", ColumnType::kInteger, "id of the frame around it, by time",
           [](const QueryFile& f, uint32_t r) { return f.EventId(ParentOf(f, r)); }, Spread::kFew},
          {"parent", ColumnType::kText, "its name",
           [](const QueryFile& f, uint32_t r) { return f.EventName(ParentOf(f, r)); },
           Spread::kSome, TextNumbers::kPool},
          {"depth", ColumnType::kInteger, "frames around it",
           [](const QueryFile& f, uint32_t r) {
             return Value::Integer(f.Python().depth[f.Python().node[r]]);
           }},
          {"step", ColumnType::kText, "steps.name of the step it began in",
           [](const QueryFile& f, uint32_t r) { return f.StepName(f.Places().step[SpanOf(f, r)]); },
           Spread::kSome, TextNumbers::kOwn},
          {"module", ColumnType::kText, "of calls of modules: class and number, such as Linear_0",
           Module},
          {"module_id", ColumnType::kInteger, "Python module id, as written",
           [](const QueryFile& f, uint32_t r) {
             const int32_t module = DetailOf(f, r).module_id;
             return module < 0 ? Value::Null() : Value::Integer(module);
           },
           Spread::kSome},
          {"python_id", ColumnType::kInteger, "Python id, as written",
           [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).python_id); },
           Spread::kFew},
          {"python_parent_id", ColumnType::kInteger, "Python parent id, as written",
           [](const QueryFile& f, uint32_t r) { return Value::Captured(DetailOf(f, r).parent_id); },
           Spread::kFew},
          {"call_from", ColumnType::kText, "call_from, as written",
           [](const QueryFile& f, uint32_t r) { return f.Text(DetailOf(f, r).call_from); },
           Spread::kSome, TextNumbers::kPool}});
  return table;
}

}  // namespace telltale
