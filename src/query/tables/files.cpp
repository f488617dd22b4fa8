// SPDX-License-Identifier: Apache-2.0
// `files` and `diagnostics`: what was read, and what was wrong with it.
#include "query/tables/tables.h"

namespace telltale {

namespace {

const ProfileSource& SourceOf(const QueryFile& file) { return file.artifact->source(); }

const DiagnosticRow& RowOf(const QueryFile& file, uint32_t row) { return file.Diagnosed()[row]; }

}  // namespace

SqlTable FilesTable() {
  SqlTable table;
  table.name = "files";
  table.meaning = "the inputs";
  table.rows = table.about = [](const QueryFile& f) { return size_t{f.id ? 1U : 0U}; };
  table.columns = FileColumns();
  Append(table.columns,
         {{"path", ColumnType::kText, "where it was read from",
           [](const QueryFile& f, uint32_t) { return Value::Text(SourceOf(f).path); }},
          {"format", ColumnType::kText, "kineto_json, pstats …",
           [](const QueryFile& f, uint32_t) { return Value::Text(SourceOf(f).format); }},
          {"compression", ColumnType::kText, "none, gzip or zstd",
           [](const QueryFile& f, uint32_t) { return Value::Text(SourceOf(f).compression); }},
          {"bytes", ColumnType::kInteger, "size of the file",
           [](const QueryFile& f, uint32_t) { return Value::Captured(SourceOf(f).bytes); }},
          {"decoded_bytes", ColumnType::kInteger, "size after decompression",
           [](const QueryFile& f, uint32_t) { return Value::Captured(SourceOf(f).decoded_bytes); }},
          {"events", ColumnType::kInteger, "events of a trace; samples or functions of a profile",
           [](const QueryFile& f, uint32_t) { return Value::Captured(SourceOf(f).events); }},
          {"worker", ColumnType::kText, "from the file's name",
           [](const QueryFile& f, uint32_t) {
             const std::string& worker = SourceOf(f).worker;
             return worker.empty() ? Value::Null() : Value::Text(worker);
           }},
          {"span", ColumnType::kInteger, "place among the files of its worker",
           [](const QueryFile& f, uint32_t) { return Value::Captured(SourceOf(f).span); }},
          {"base_time_ns", ColumnType::kInteger, "what the times as written count from",
           [](const QueryFile& f, uint32_t) {
             return f.trace == nullptr ? Value::Null() : Value::Integer(f.trace->base_time_ns);
           }}});
  return table;
}

SqlTable DiagnosticsTable() {
  SqlTable table;
  table.name = "diagnostics";
  table.meaning = "what was wrong with the inputs";
  table.rows = [](const QueryFile& f) { return f.Diagnosed().size(); };
  table.about = [](const QueryFile&) { return size_t{4}; };
  table.columns = FileColumns();
  Append(
      table.columns,
      {{"severity", ColumnType::kText, "info, loss or error",
        [](const QueryFile& f, uint32_t r) { return Value::Text(NameOf(RowOf(f, r).severity)); }},
       {"kind", ColumnType::kText, "what, in one word",
        [](const QueryFile& f, uint32_t r) { return Value::Text(RowOf(f, r).kind); }},
       {"count", ColumnType::kInteger, "how often",
        [](const QueryFile& f, uint32_t r) { return Value::Captured(RowOf(f, r).count); }},
       {"first_offset", ColumnType::kInteger, "byte of the first place in the decoded text",
        [](const QueryFile& f, uint32_t r) {
          const auto& offset = RowOf(f, r).first_offset;
          return offset ? Value::Captured(*offset) : Value::Null();
        }},
       {"message", ColumnType::kText, "what, in a sentence",
        [](const QueryFile& f, uint32_t r) { return Value::Text(RowOf(f, r).message); }}});
  return table;
}

}  // namespace telltale
