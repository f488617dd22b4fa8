// SPDX-License-Identifier: Apache-2.0
// The list of tables, and the columns that several have.
#include "query/tables/tables.h"

#include <utility>

namespace telltale {

std::string_view NameOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInteger:
      return "INTEGER";
    case ColumnType::kReal:
      return "REAL";
    case ColumnType::kText:
      return "TEXT";
    case ColumnType::kAny:
      return "";
  }
  return "";
}

std::span<const SqlTable> Tables() {
  static const std::vector<SqlTable> tables = {
      EventsTable(),      OperatorsTable(),  KernelsTable(),       StepsTable(),
      PythonTable(),      MemoryTableSpec(), FlowsTable(),         CountersTable(),
      InstantsTable(),    FunctionsTable(),  FunctionCallsTable(), FilesTable(),
      DiagnosticsTable(), RunsTable(),       ParamsTable(),        ScalarsTable(),
      HistogramsTable(),  MediaTable(),      TextsTable(),
  };
  return tables;
}

std::vector<SqlColumn> FileColumns() {
  return {
      {"file", ColumnType::kInteger, "which input it is from: files.file",
       [](const QueryFile& f, uint32_t) {
         return f.id ? Value::Integer(static_cast<int64_t>(*f.id)) : Value::Null();
       }},
      {"rank", ColumnType::kInteger, "rank of that input, where it is known",
       [](const QueryFile& f, uint32_t) { return Value::Captured(f.rank); }},
  };
}

void Append(std::vector<SqlColumn>& columns, std::vector<SqlColumn> more) {
  columns.insert(columns.end(), more.begin(), more.end());
}

namespace {

const Track& TrackAt(const QueryFile& file, TrackId track) {
  return file.trace->tracks[static_cast<size_t>(track)];
}

Value KeyValue(const QueryFile& file, const TrackKey& key) {
  return key.number == kNoInt ? file.Text(key.text) : Value::Integer(key.number);
}

}  // namespace

Value PidOf(const QueryFile& file, TrackId track) {
  return KeyValue(file, TrackAt(file, track).pid);
}

Value TidOf(const QueryFile& file, TrackId track) {
  return KeyValue(file, TrackAt(file, track).tid);
}

Value ProcessNameOf(const QueryFile& file, TrackId track) {
  const uint32_t process = TrackAt(file, track).process;
  if (process >= file.trace->processes.size()) return Value::Null();
  return file.Text(file.trace->processes[process].name);
}

const CollectiveDetail& CollectiveAt(const QueryFile& file, uint32_t collective) {
  static constexpr CollectiveDetail kNone;
  return collective == kNoDetail ? kNone : file.trace->collectives[collective];
}

Value ThreadNameOf(const QueryFile& file, TrackId track) {
  return file.Text(TrackAt(file, track).thread_name);
}

}  // namespace telltale
