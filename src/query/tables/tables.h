// SPDX-License-Identifier: Apache-2.0
// Every table, one line each: the files beside this one define them. Below, the columns that
// several tables have.
#pragma once

#include "query/sql_table.h"

namespace telltale {

[[nodiscard]] SqlTable EventsTable();
[[nodiscard]] SqlTable OperatorsTable();
[[nodiscard]] SqlTable KernelsTable();
[[nodiscard]] SqlTable StepsTable();
[[nodiscard]] SqlTable MemoryTableSpec();
[[nodiscard]] SqlTable FlowsTable();
[[nodiscard]] SqlTable PythonTable();
[[nodiscard]] SqlTable CountersTable();
[[nodiscard]] SqlTable InstantsTable();
[[nodiscard]] SqlTable FunctionsTable();
[[nodiscard]] SqlTable FunctionCallsTable();
[[nodiscard]] SqlTable FilesTable();
[[nodiscard]] SqlTable DiagnosticsTable();
// Of runs (query_run.h): the names and columns are a contract.
[[nodiscard]] SqlTable RunsTable();
[[nodiscard]] SqlTable ParamsTable();
[[nodiscard]] SqlTable ScalarsTable();
[[nodiscard]] SqlTable HistogramsTable();
[[nodiscard]] SqlTable MediaTable();
[[nodiscard]] SqlTable TextsTable();

// The file's number and rank: the first columns of every table.
[[nodiscard]] std::vector<SqlColumn> FileColumns();

void Append(std::vector<SqlColumn>& columns, std::vector<SqlColumn> more);

[[nodiscard]] Value PidOf(const QueryFile& file, TrackId track);
[[nodiscard]] Value TidOf(const QueryFile& file, TrackId track);
[[nodiscard]] Value ProcessNameOf(const QueryFile& file, TrackId track);
[[nodiscard]] Value ThreadNameOf(const QueryFile& file, TrackId track);

// pid, tid, process and thread of a table whose rows have a track.
template <TrackId (*TrackOf)(const QueryFile& file, uint32_t row)>
[[nodiscard]] std::vector<SqlColumn> TrackColumns() {
  return {
      {"pid", ColumnType::kAny, "process, as written: an integer, or text where it is none",
       [](const QueryFile& f, uint32_t r) { return PidOf(f, TrackOf(f, r)); }},
      {"tid", ColumnType::kAny, "thread, as written: an integer, or text where it is none",
       [](const QueryFile& f, uint32_t r) { return TidOf(f, TrackOf(f, r)); }},
      {"process", ColumnType::kText, "name of the process",
       [](const QueryFile& f, uint32_t r) { return ProcessNameOf(f, TrackOf(f, r)); },
       Spread::kMany, TextNumbers::kPool},
      {"thread", ColumnType::kText, "name of the thread",
       [](const QueryFile& f, uint32_t r) { return ThreadNameOf(f, TrackOf(f, r)); }, Spread::kMany,
       TextNumbers::kPool},
  };
}

// start_ns, duration_ns and end_ns of a table whose rows are spans.
template <SpanRow (*SpanOf)(const QueryFile& file, uint32_t row)>
[[nodiscard]] std::vector<SqlColumn> TimeColumns() {
  return {
      {"start_ns", ColumnType::kInteger,
       "when it began: since 1970 where the trace knows, else as written",
       [](const QueryFile& f, uint32_t r) { return f.Time(f.trace->spans.start_ns[SpanOf(f, r)]); },
       Spread::kFew},
      {"duration_ns", ColumnType::kInteger, "how long it took",
       [](const QueryFile& f, uint32_t r) {
         return Value::Integer(f.trace->spans.duration_ns[SpanOf(f, r)]);
       },
       Spread::kSome},
      {"end_ns", ColumnType::kInteger, "start_ns + duration_ns",
       [](const QueryFile& f, uint32_t r) { return f.Time(f.trace->spans.end_ns(SpanOf(f, r))); },
       Spread::kFew},
  };
}

// The arguments of a collective, of a table whose rows may have some.
[[nodiscard]] const CollectiveDetail& CollectiveAt(const QueryFile& file, uint32_t collective);

template <uint32_t (*CollectiveOf)(const QueryFile& file, uint32_t row)>
[[nodiscard]] std::vector<SqlColumn> CollectiveColumns() {
  return {
      {"collective", ColumnType::kText, "name of the collective, such as allreduce",
       [](const QueryFile& f, uint32_t r) {
         return f.Text(CollectiveAt(f, CollectiveOf(f, r)).name);
       },
       Spread::kMany, TextNumbers::kPool},
      {"collective_dtype", ColumnType::kText, "type of its elements",
       [](const QueryFile& f, uint32_t r) {
         return f.Text(CollectiveAt(f, CollectiveOf(f, r)).dtype);
       },
       Spread::kMany, TextNumbers::kPool},
      {"in_elements", ColumnType::kInteger, "elements that go in",
       [](const QueryFile& f, uint32_t r) {
         return Value::Captured(CollectiveAt(f, CollectiveOf(f, r)).in_elements);
       }},
      {"out_elements", ColumnType::kInteger, "elements that come out",
       [](const QueryFile& f, uint32_t r) {
         return Value::Captured(CollectiveAt(f, CollectiveOf(f, r)).out_elements);
       }},
      {"group_name", ColumnType::kText, "process group",
       [](const QueryFile& f, uint32_t r) {
         return f.Text(CollectiveAt(f, CollectiveOf(f, r)).group_name);
       },
       Spread::kMany, TextNumbers::kPool},
      {"group_description", ColumnType::kText, "what the process group is for",
       [](const QueryFile& f, uint32_t r) {
         return f.Text(CollectiveAt(f, CollectiveOf(f, r)).group_description);
       },
       Spread::kMany, TextNumbers::kPool},
      {"group_ranks", ColumnType::kText, "ranks of the process group, as written",
       [](const QueryFile& f, uint32_t r) {
         return f.Text(CollectiveAt(f, CollectiveOf(f, r)).group_ranks);
       },
       Spread::kMany, TextNumbers::kPool},
      {"group_size", ColumnType::kInteger, "ranks in the process group",
       [](const QueryFile& f, uint32_t r) {
         return Value::Captured(CollectiveAt(f, CollectiveOf(f, r)).group_size);
       }},
      {"sequence", ColumnType::kInteger, "number of the collective in its group",
       [](const QueryFile& f, uint32_t r) {
         return Value::Captured(CollectiveAt(f, CollectiveOf(f, r)).sequence);
       },
       Spread::kFew},
      {"source_rank", ColumnType::kInteger, "sender",
       [](const QueryFile& f, uint32_t r) {
         return Value::Captured(CollectiveAt(f, CollectiveOf(f, r)).source_rank);
       }},
      {"destination_rank", ColumnType::kInteger, "receiver",
       [](const QueryFile& f, uint32_t r) {
         return Value::Captured(CollectiveAt(f, CollectiveOf(f, r)).destination_rank);
       }},
  };
}

}  // namespace telltale
