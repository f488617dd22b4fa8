// SPDX-License-Identifier: Apache-2.0
#include "query/virtual_table.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "query/defenses.h"
#include "query/plan.h"
#include "query/text_filter.h"

namespace telltale {

namespace {

struct ModuleData {
  TableModules* modules;
  RowTable* rows;
};

struct VirtualTable {
  sqlite3_vtab base = {};  // first: SQLite sees a pointer to it
  TableModules* modules = nullptr;
  RowTable* rows = nullptr;
};

struct Cursor {
  sqlite3_vtab_cursor base = {};  // first: SQLite sees a pointer to it
  RowTable* rows = nullptr;
  Allowance* allowance = nullptr;
  Pace pace;

  Cursor(RowTable& of_table, Allowance& of_query)
      : rows(&of_table), allowance(&of_query), pace(of_query), listed_charge(of_query) {}

  const char* plan_text = nullptr;  // what `plan` was made from: the same for all scans of a cursor
  Plan plan;

  // The rows are those numbered in [position, end) of `listed`, of `indexed`, or of the table
  // itself, that `filters` and `patterns` let pass.
  std::shared_ptr<const RowTable::Rows> listed;
  Charge listed_charge;  // of `listed` where it is this cursor's own
  const KeyedRow* indexed = nullptr;
  uint32_t position = 0;
  uint32_t end = 0;
  std::vector<KeyRange> filters;
  std::vector<TextFilter*> patterns;                        // of this scan
  std::vector<std::unique_ptr<TextFilter>> known_patterns;  // of all scans, with what they learnt
  RowTable::Place place;                                    // of the current row
  uint32_t row = 0;

  [[nodiscard]] uint32_t RowAt(uint32_t at) const {
    if (listed != nullptr) return (*listed)[at];
    return indexed != nullptr ? indexed[at].row : at;
  }
  [[nodiscard]] bool Passes(const RowTable::Place& candidate) const {
    for (const KeyRange& filter : filters) {
      if (!filter.Has(rows->Key(candidate, filter.column))) return false;
    }
    for (TextFilter* pattern : patterns) {
      if (!pattern->Has(candidate)) return false;
    }
    return true;
  }
  // Moves to the first row at or after `position` that passes.
  void Settle() {
    for (; position < end; ++position, pace.Step()) {
      row = RowAt(position);
      place = rows->PlaceOf(row);
      if (Passes(place)) return;
    }
  }
};

VirtualTable& TableOf(sqlite3_vtab* table) { return *reinterpret_cast<VirtualTable*>(table); }
Cursor& CursorOf(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<Cursor*>(cursor); }

// Exceptions must not pass through SQLite, which is C.
template <typename Work>
int Guarded(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const QueryStopped&) {
    return SQLITE_INTERRUPT;
  } catch (...) {
    return SQLITE_ERROR;
  }
}

std::string Declaration(const SqlTable& spec) {
  std::string sql = "CREATE TABLE t(";
  for (size_t i = 0; i < spec.columns.size(); ++i) {
    if (i > 0) sql += ", ";
    sql += '"';
    sql += spec.columns[i].name;
    sql += "\" ";
    sql += NameOf(spec.columns[i].type);
  }
  return sql + ")";
}

int Connect(sqlite3* connection, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
  return Guarded([&] {
    const auto* module = static_cast<const ModuleData*>(data);
    module->modules->declaring = true;
    const int code = sqlite3_declare_vtab(connection, Declaration(module->rows->spec()).c_str());
    module->modules->declaring = false;
    if (code != SQLITE_OK) return code;
    auto table = std::make_unique<VirtualTable>();
    table->modules = module->modules;
    table->rows = module->rows;
    *out = &table.release()->base;
    return SQLITE_OK;
  });
}

int Disconnect(sqlite3_vtab* table) {
  delete &TableOf(table);
  return SQLITE_OK;
}

// ---- planning

std::optional<Comparison> ComparisonOf(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return Comparison::kEqual;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return Comparison::kLess;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return Comparison::kLessOrEqual;
    case SQLITE_INDEX_CONSTRAINT_GT:
      return Comparison::kGreater;
    case SQLITE_INDEX_CONSTRAINT_GE:
      return Comparison::kGreaterOrEqual;
    case SQLITE_INDEX_CONSTRAINT_LIKE:
      return Comparison::kLike;
    case SQLITE_INDEX_CONSTRAINT_GLOB:
      return Comparison::kGlob;
    case SQLITE_INDEX_CONSTRAINT_REGEXP:
      return Comparison::kRegexp;
    default:
      return std::nullopt;
  }
}

// What one of the table's columns does with a comparison: integers compare, numbered texts take
// equality by bytes and patterns.
bool Takes(const SqlColumn& column, Comparison comparison, const char* collation) {
  if (column.type == ColumnType::kInteger) return !IsPattern(comparison);
  if (column.type != ColumnType::kText || !column.HasKeys()) return false;
  return IsPattern(comparison) ||
         (comparison == Comparison::kEqual && sqlite3_stricmp(collation, "BINARY") == 0);
}

// Whether the table's answer is exact, so that SQLite need not check again: it is for a constant of
// the column's own type. A pattern that is wrong or too long is told by its function, which must be
// called for that.
bool IsExact(sqlite3_index_info* info, int constraint, Comparison comparison,
             const SqlColumn& column) {
  if (comparison == Comparison::kRegexp) return false;
  sqlite3_value* value = nullptr;
  if (sqlite3_vtab_rhs_value(info, constraint, &value) != SQLITE_OK || value == nullptr)
    return false;
  const int type = sqlite3_value_type(value);
  if (column.type != ColumnType::kText) return type == SQLITE_INTEGER;
  return type == SQLITE_TEXT &&
         (!IsPattern(comparison) ||
          static_cast<size_t>(sqlite3_value_bytes(value)) <= kLongestLikePattern);
}

// The share of rows that an equality leaves, for the planner.
double RowsOfOneValue(Spread spread, double rows) {
  switch (spread) {
    case Spread::kUnique:
      return 1;
    case Spread::kFew:
      return std::min(rows, 4.0);
    case Spread::kSome:
      return std::max(1.0, rows / 100);
    case Spread::kMany:
      return std::max(1.0, rows / 8);
  }
  return rows;
}

int BestIndex(sqlite3_vtab* base, sqlite3_index_info* info) {
  return Guarded([&] {
    const VirtualTable& table = TableOf(base);
    if (table.modules->allowance.Spent()) return SQLITE_INTERRUPT;
    const SqlTable& spec = table.rows->spec();
    Plan plan;
    const double all = std::max(1.0, static_cast<double>(table.rows->About()));
    double rows = all;
    bool unique = false;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.usable == 0 || constraint.iColumn < 0) continue;
      const std::optional<Comparison> comparison = ComparisonOf(constraint.op);
      if (!comparison) continue;
      const SqlColumn& column = spec.columns[static_cast<size_t>(constraint.iColumn)];
      if (!Takes(column, *comparison, sqlite3_vtab_collation(info, i))) continue;
      plan.conditions.push_back({constraint.iColumn, *comparison});
      info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.conditions.size());
      const bool exact = IsExact(info, i, *comparison, column);
      info->aConstraintUsage[i].omit = exact ? 1 : 0;
      if (*comparison == Comparison::kEqual) {
        rows = std::min(rows, RowsOfOneValue(column.spread, all));
        unique = unique || column.spread == Spread::kUnique;
      } else {
        rows = std::max(1.0, rows / 4);
      }
    }
    // With an index the rows are found at once, else all are looked at. Looking is cheap beside
    // what SQLite does with a row.
    const bool lookup = !plan.conditions.empty() && rows < all / 2;
    info->estimatedCost = lookup ? std::log2(all + 1) + rows : all;
    info->estimatedRows = static_cast<sqlite3_int64>(rows);
    if (unique) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;

    bool ordered = info->nOrderBy > 0;
    for (int i = 0; i < info->nOrderBy; ++i) {
      const int column = info->aOrderBy[i].iColumn;
      ordered = ordered && column >= 0 && spec.columns[static_cast<size_t>(column)].HasKeys();
    }
    if (ordered) {
      for (int i = 0; i < info->nOrderBy; ++i) {
        plan.order.push_back({info->aOrderBy[i].iColumn, info->aOrderBy[i].desc != 0});
      }
      info->orderByConsumed = 1;
    }
    info->idxStr = sqlite3_mprintf("%s", Encode(plan).c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  });
}

// ---- scanning

int64_t Floor(double value) {
  const double floor = std::floor(value);
  if (floor < -9223372036854775808.0) return INT64_MIN;
  if (floor >= 9223372036854775808.0) return INT64_MAX;
  return static_cast<int64_t>(floor);
}

// Narrows `range` by a condition, never by more than the condition itself does: SQLite checks again
// where the answer may be too wide. False: no row can match.
bool Narrow(RowTable& rows, const Condition& condition, sqlite3_value* value, KeyRange& range) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return false;
  const SqlColumn& column = rows.spec().columns[static_cast<size_t>(condition.column)];
  if (column.type == ColumnType::kText) {
    if (type != SQLITE_TEXT) return true;
    const auto* text = static_cast<const char*>(sqlite3_value_blob(value));
    const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
    const std::optional<int64_t> key = rows.KeyOfText(
        condition.column, text == nullptr ? std::string_view() : std::string_view(text, size));
    if (!key) return false;
    range.least = std::max(range.least, *key);
    range.most = std::min(range.most, *key);
    return !range.empty();
  }
  int64_t low = 0;   // the largest integer not above the value
  int64_t high = 0;  // the smallest one not below it
  if (type == SQLITE_INTEGER) {
    low = high = sqlite3_value_int64(value);
  } else if (type == SQLITE_FLOAT) {
    const double real = sqlite3_value_double(value);
    low = Floor(real);
    high = static_cast<double>(low) < real && low < INT64_MAX ? low + 1 : low;
  } else {
    return true;  // text may mean a number; SQLite knows
  }
  switch (condition.comparison) {
    case Comparison::kEqual:
      range.least = std::max(range.least, low);
      range.most = std::min(range.most, high);
      break;
    case Comparison::kGreater:
      if (low == INT64_MAX) return type == SQLITE_FLOAT;
      range.least = std::max(range.least, type == SQLITE_INTEGER ? low + 1 : low);
      break;
    case Comparison::kGreaterOrEqual:
      range.least = std::max(range.least, low);
      break;
    case Comparison::kLess:
      if (high == INT64_MIN) return type == SQLITE_FLOAT;
      range.most = std::min(range.most, type == SQLITE_INTEGER ? high - 1 : high);
      break;
    case Comparison::kLessOrEqual:
      range.most = std::min(range.most, high);
      break;
    case Comparison::kLike:
    case Comparison::kGlob:
    case Comparison::kRegexp:
      break;  // not of numbers
  }
  return !range.empty();
}

// Takes a pattern into the scan. False: no row can match.
bool AddPattern(Cursor& cursor, const Condition& condition, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return false;
  if (type != SQLITE_TEXT) return true;  // SQLite converts it
  const auto* text = static_cast<const char*>(sqlite3_value_blob(value));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  const std::string_view pattern = size == 0 ? std::string_view() : std::string_view(text, size);
  // A scan for each row of a join mostly has the patterns of the scan before.
  for (const auto& known : cursor.known_patterns) {
    if (!known->Is(condition, pattern)) continue;
    if (known->valid()) cursor.patterns.push_back(known.get());
    return true;
  }
  constexpr size_t kPatternsKept = 16;
  if (cursor.known_patterns.size() >= kPatternsKept && cursor.patterns.empty())
    cursor.known_patterns.clear();
  cursor.known_patterns.push_back(
      std::make_unique<TextFilter>(*cursor.rows, condition, pattern, *cursor.allowance));
  if (cursor.known_patterns.back()->valid())
    cursor.patterns.push_back(cursor.known_patterns.back().get());
  return true;
}

// The rows of the narrowest filter that has an index, and the filters that remain.
void UseIndex(Cursor& cursor) {
  RowTable& rows = *cursor.rows;
  // Below this a scan is as quick as a search.
  constexpr uint32_t kFewRows = 64;
  if (rows.size() < kFewRows) return;
  // Only the column that promises fewest rows earns an index; those of others are used if there.
  const auto spread = [&](const KeyRange& range) {
    return rows.spec().columns[static_cast<size_t>(range.column)].spread;
  };
  const auto best =
      std::min_element(cursor.filters.begin(), cursor.filters.end(),
                       [&](const KeyRange& a, const KeyRange& b) { return spread(a) < spread(b); });
  const RowTable::Index* index = rows.IndexFor(best->column);
  if (index == nullptr) return;
  const auto first = std::lower_bound(index->begin(), index->end(), best->least,
                                      [](const KeyedRow& a, int64_t key) { return a.key < key; });
  const auto last = std::upper_bound(first, index->end(), best->most,
                                     [](int64_t key, const KeyedRow& a) { return key < a.key; });
  cursor.indexed = index->begin();
  cursor.position = static_cast<uint32_t>(first - index->begin());
  cursor.end = static_cast<uint32_t>(last - index->begin());
  cursor.filters.erase(best);
}

int Filter(sqlite3_vtab_cursor* base, int, const char* plan_text, int, sqlite3_value** values) {
  return Guarded([&] {
    Cursor& cursor = CursorOf(base);
    RowTable& rows = *cursor.rows;
    if (cursor.allowance->Spent()) return SQLITE_INTERRUPT;
    if (cursor.plan_text != plan_text) {
      cursor.plan = DecodePlan(plan_text);
      cursor.plan_text = plan_text;
    }
    cursor.listed.reset();
    cursor.listed_charge.Set(0);
    cursor.indexed = nullptr;
    cursor.filters.clear();
    cursor.patterns.clear();
    cursor.position = 0;
    cursor.end = rows.size();
    for (size_t i = 0; i < cursor.plan.conditions.size(); ++i) {
      const Condition& condition = cursor.plan.conditions[i];
      if (IsPattern(condition.comparison)) {
        if (AddPattern(cursor, condition, values[i])) continue;
        cursor.end = 0;
        return SQLITE_OK;
      }
      auto range = std::find_if(cursor.filters.begin(), cursor.filters.end(),
                                [&](const KeyRange& r) { return r.column == condition.column; });
      if (range == cursor.filters.end())
        range = cursor.filters.insert(range, {.column = condition.column});
      if (!Narrow(rows, condition, values[i], *range)) {
        cursor.end = 0;
        return SQLITE_OK;
      }
    }
    if (!cursor.filters.empty()) UseIndex(cursor);

    if (!cursor.plan.order.empty()) {
      if (cursor.filters.empty() && cursor.patterns.empty() && cursor.indexed == nullptr) {
        cursor.listed = rows.Order(cursor.plan.order);
      } else {
        auto matching = std::make_shared<RowTable::Rows>();
        cursor.listed_charge.Set(int64_t{sizeof(uint32_t)} * (cursor.end - cursor.position));
        for (cursor.Settle(); cursor.position < cursor.end; ++cursor.position, cursor.Settle()) {
          matching->push_back(cursor.row);
        }
        rows.Sort(*matching, cursor.plan.order);
        cursor.filters.clear();
        cursor.patterns.clear();
        cursor.position = 0;
        cursor.end = static_cast<uint32_t>(matching->size());
        cursor.listed_charge.Set(static_cast<int64_t>(matching->memory_bytes()));
        cursor.listed = std::move(matching);
      }
    }
    cursor.Settle();
    return SQLITE_OK;
  });
}

int Open(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  return Guarded([&] {
    auto cursor = std::make_unique<Cursor>(*TableOf(table).rows, TableOf(table).modules->allowance);
    *out = &cursor.release()->base;
    return SQLITE_OK;
  });
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete &CursorOf(cursor);
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* base) {
  return Guarded([&] {
    Cursor& cursor = CursorOf(base);
    ++cursor.position;
    cursor.Settle();
    return SQLITE_OK;
  });
}

int Eof(sqlite3_vtab_cursor* base) {
  const Cursor& cursor = CursorOf(base);
  return cursor.position >= cursor.end ? 1 : 0;
}

int RowId(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = CursorOf(base).row;
  return SQLITE_OK;
}

int ColumnValue(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  return Guarded([&] {
    const Cursor& cursor = CursorOf(base);
    const Value value = cursor.rows->Get(cursor.place, column);
    switch (value.kind) {
      case Value::Kind::kNull:
        sqlite3_result_null(context);
        break;
      case Value::Kind::kInteger:
        sqlite3_result_int64(context, value.integer);
        break;
      case Value::Kind::kReal:
        sqlite3_result_double(context, value.real);
        break;
      case Value::Kind::kText:
        // Not followed by a zero byte, which SQLite does not ask for where the length is given.
        sqlite3_result_text64(context, value.text.data, value.text.size, SQLITE_STATIC,
                              SQLITE_UTF8);
        break;
    }
    return SQLITE_OK;
  });
}

constexpr sqlite3_module kModule = {
    .iVersion = 0,
    .xCreate = Connect,
    .xConnect = Connect,
    .xBestIndex = BestIndex,
    .xDisconnect = Disconnect,
    .xDestroy = Disconnect,
    .xOpen = Open,
    .xClose = Close,
    .xFilter = Filter,
    .xNext = Next,
    .xEof = Eof,
    .xColumn = ColumnValue,
    .xRowid = RowId,
    .xUpdate = nullptr,  // read only
    .xBegin = nullptr,
    .xSync = nullptr,
    .xCommit = nullptr,
    .xRollback = nullptr,
    .xFindFunction = nullptr,
    .xRename = nullptr,
    .xSavepoint = nullptr,
    .xRelease = nullptr,
    .xRollbackTo = nullptr,
    .xShadowName = nullptr,
};

}  // namespace

TableModules::TableModules(const QuerySource& source, Allowance& of_query) : allowance(of_query) {
  for (const SqlTable& spec : Tables())
    tables.push_back(std::make_unique<RowTable>(source, spec, allowance));
}

int RegisterTables(sqlite3* connection, TableModules& modules) {
  for (const auto& rows : modules.tables) {
    const std::string name(rows->spec().name);
    auto data = std::make_unique<ModuleData>(ModuleData{&modules, rows.get()});
    int code =
        sqlite3_create_module_v2(connection, ("telltale_" + name).c_str(), &kModule, data.release(),
                                 [](void* p) { delete static_cast<ModuleData*>(p); });
    if (code != SQLITE_OK) return code;
    std::string sql = "CREATE VIRTUAL TABLE \"";
    sql.append(name).append("\" USING telltale_").append(name);
    code = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace telltale
