// SPDX-License-Identifier: Apache-2.0
// `functions` and `function_calls`: function profiles (.prof, samplers, tracers), as
// `telltale profile --view functions` shows them. Each file on its own: joining them is GROUP BY.
#include "query/tables/tables.h"

namespace telltale {

namespace {

const FunctionRow& RowOf(const QueryFile& file, uint32_t row) {
  return file.Functions().table.rows[file.Functions().shown[row]];
}
const CallRow& CallOf(const QueryFile& file, uint32_t row) {
  return file.Functions().table.calls[row];
}

Value Known(const std::optional<int64_t>& value) {
  return value ? Value::Integer(*value) : Value::Null();
}

// Views into the profile's pool; without data where there is none.
Value View(std::string_view text) {
  return text.data() == nullptr ? Value::Null() : Value::Text(text);
}

// Times of profiles that count something else are NULL.
Value Time(const QueryFile& file, const std::optional<int64_t>& value) {
  return file.Functions().table.unit == ValueUnit::kNanoseconds ? Known(value) : Value::Null();
}

template <const FunctionValues& (*ValuesOf)(const QueryFile& file, uint32_t row)>
std::vector<SqlColumn> ValueColumns() {
  return {
      {"calls", ColumnType::kInteger, "all calls; NULL where the format does not count them",
       [](const QueryFile& f, uint32_t r) { return Known(ValuesOf(f, r).calls); }, Spread::kSome},
      {"primitive_calls", ColumnType::kInteger, "calls that are not recursive",
       [](const QueryFile& f, uint32_t r) { return Known(ValuesOf(f, r).primitive_calls); },
       Spread::kSome},
      {"self_ns", ColumnType::kInteger, "time in the function itself",
       [](const QueryFile& f, uint32_t r) { return Time(f, ValuesOf(f, r).self); }, Spread::kFew},
      {"total_ns", ColumnType::kInteger, "with what it calls; recursion counts once",
       [](const QueryFile& f, uint32_t r) { return Time(f, ValuesOf(f, r).total); }, Spread::kFew},
      {"unit", ColumnType::kText, "what the profile counts: ns, samples, bytes or count",
       [](const QueryFile& f, uint32_t) {
         return f.source().Own(NameOf(f.Functions().table.unit));
       },
       Spread::kMany, TextNumbers::kOwn},
      {"self_value", ColumnType::kInteger, "self_ns in that unit",
       [](const QueryFile& f, uint32_t r) { return Known(ValuesOf(f, r).self); }, Spread::kFew},
      {"total_value", ColumnType::kInteger, "total_ns in that unit",
       [](const QueryFile& f, uint32_t r) { return Known(ValuesOf(f, r).total); }, Spread::kFew},
  };
}

const FunctionValues& FunctionValuesOf(const QueryFile& file, uint32_t row) {
  return RowOf(file, row).values;
}
const FunctionValues& CallValuesOf(const QueryFile& file, uint32_t row) {
  return CallOf(file, row).values;
}

Value Number(uint32_t row) { return Value::Integer(int64_t{row}); }

}  // namespace

SqlTable FunctionsTable() {
  SqlTable table;
  table.name = "functions";
  table.meaning = "functions of function profiles (.prof, samplers, tracers)";
  table.rows = [](const QueryFile& f) {
    return f.profile == nullptr ? 0 : f.Functions().shown.size();
  };
  table.about = [](const QueryFile& f) {
    return f.profile == nullptr ? 0 : f.profile->functions.size();
  };
  table.columns = FileColumns();
  Append(table.columns,
         {{"function_id", ColumnType::kInteger, "number of the function in its file",
           [](const QueryFile& f, uint32_t r) { return Number(f.Functions().shown[r]); },
           Spread::kFew},
          {"source_file", ColumnType::kText, "file of the function, as stored",
           [](const QueryFile& f, uint32_t r) { return View(RowOf(f, r).file); }},
          {"line", ColumnType::kInteger, "line of the function",
           [](const QueryFile& f, uint32_t r) { return Value::Captured(RowOf(f, r).line); },
           Spread::kSome},
          {"name", ColumnType::kText, "name, as stored",
           [](const QueryFile& f, uint32_t r) { return View(RowOf(f, r).name); }},
          {"module", ColumnType::kText, "shared object, package or mapping",
           [](const QueryFile& f, uint32_t r) { return View(RowOf(f, r).module); }}});
  Append(table.columns, ValueColumns<FunctionValuesOf>());
  return table;
}

SqlTable FunctionCallsTable() {
  SqlTable table;
  table.name = "function_calls";
  table.meaning = "who called whom in function profiles";
  table.rows = [](const QueryFile& f) {
    return f.profile == nullptr ? 0 : f.Functions().table.calls.size();
  };
  table.about = [](const QueryFile& f) {
    return f.profile == nullptr ? 0 : f.profile->pairs.size() + f.profile->functions.size();
  };
  table.columns = FileColumns();
  Append(
      table.columns,
      {{"caller_id", ColumnType::kInteger,
        "functions.function_id of the caller; of one that the profile does not measure there is "
        "no row",
        [](const QueryFile& f, uint32_t r) { return Number(CallOf(f, r).caller); }, Spread::kFew},
       {"callee_id", ColumnType::kInteger, "functions.function_id of the callee",
        [](const QueryFile& f, uint32_t r) { return Number(CallOf(f, r).callee); }, Spread::kFew},
       {"caller", ColumnType::kText, "name of the caller",
        [](const QueryFile& f, uint32_t r) {
          return View(f.Functions().table.rows[CallOf(f, r).caller].name);
        }},
       {"callee", ColumnType::kText, "name of the callee", [](const QueryFile& f, uint32_t r) {
          return View(f.Functions().table.rows[CallOf(f, r).callee].name);
        }}});
  Append(table.columns, ValueColumns<CallValuesOf>());
  return table;
}

}  // namespace telltale
