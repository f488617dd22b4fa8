// SPDX-License-Identifier: Apache-2.0
#include "query/database.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <sqlite3.h>

#include "query/sql_functions.h"
#include "query/virtual_table.h"

namespace telltale {

namespace {

using Clock = std::chrono::steady_clock;

// Instructions of SQLite's machine between two looks at the clock: less than a millisecond.
constexpr int kInstructionsPerCheck = 5000;

// What a statement may be made of at most. Beyond the largest sensible query, far below what would
// exhaust the stack or the memory.
constexpr std::array<std::pair<int, int>, 11> kLimits = {{
    {SQLITE_LIMIT_LENGTH, 64 << 20},
    {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_COLUMN, 500},
    {SQLITE_LIMIT_EXPR_DEPTH, 500},
    {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 1'000'000},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
}};

constexpr std::string_view kReadOnly =
    "a query can only read: SELECT, WITH, EXPLAIN and PRAGMA table_info work";
// PRAGMAs that only tell something.
constexpr std::array<std::string_view, 7> kReadingPragmas = {
    "collation_list", "compile_options", "database_list", "function_list",
    "table_info",     "table_list",      "table_xinfo"};

bool SameWord(const char* a, std::string_view b) {
  return a != nullptr && sqlite3_strnicmp(a, b.data(), static_cast<int>(b.size())) == 0 &&
         a[b.size()] == '\0';
}

int Authorize(void* modules, int action, const char* first, const char* second, const char*,
              const char*) {
  if (static_cast<const TableModules*>(modules)->declaring) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return SameWord(second, "load_extension") ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      for (const std::string_view name : kReadingPragmas) {
        if (SameWord(first, name)) return SQLITE_OK;
      }
      return SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// The word after `prefix`, where the message has that form.
std::string After(std::string_view message, std::string_view prefix) {
  if (!message.starts_with(prefix)) return {};
  message.remove_prefix(prefix.size());
  return std::string(message);
}

bool IsBlank(std::string_view sql) {
  return sql.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

// a, b, a -> a, b, a_2.
std::vector<std::string> Distinct(std::vector<std::string> names) {
  std::set<std::string> taken(names.begin(), names.end());
  std::set<std::string> seen;
  for (std::string& name : names) {
    if (seen.insert(name).second) continue;
    std::string other;
    for (int i = 2; other.empty() || taken.contains(other); ++i)
      other = name + "_" + std::to_string(i);
    name = std::move(other);
    taken.insert(name);
    seen.insert(name);
  }
  return names;
}

}  // namespace

struct Database::Connection {
  Connection(const QueryInput& input, const QueryLimits& wanted)
      : source(input), modules(source), limits(wanted) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close(handle); }

  int Open() {
    int code = sqlite3_open_v2(
        ":memory:", &handle,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
        nullptr);
    if (code != SQLITE_OK) return code;
    sqlite3_hard_heap_limit64(limits.memory_bytes);
    sqlite3_extended_result_codes(handle, 1);
    code = RegisterTables(handle, modules);
    if (code != SQLITE_OK) return code;
    code = RegisterFunctions(handle);
    if (code != SQLITE_OK) return code;
    // Sorting stays in memory, within the limit: a query leaves nothing on a disk.
    code = sqlite3_exec(handle, "PRAGMA temp_store=MEMORY; PRAGMA query_only=ON", nullptr, nullptr,
                        nullptr);
    if (code != SQLITE_OK) return code;
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    // "text" is a column or an error, never a text by accident.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    for (const auto& [limit, value] : kLimits) sqlite3_limit(handle, limit, value);
    sqlite3_set_authorizer(handle, Authorize, &modules);
    sqlite3_progress_handler(handle, kInstructionsPerCheck, OutOfTime, this);
    return SQLITE_OK;
  }

  // The clock runs while SQLite works, not while the caller looks at a row or waits for a pipe.
  void StartClock(Clock::duration left) { modules.deadline = Clock::now() + left; }
  static int OutOfTime(void* self) {
    return Clock::now() > static_cast<const Connection*>(self)->modules.deadline ? 1 : 0;
  }

  [[nodiscard]] QueryError ErrorOf(int code) const {
    QueryError error;
    const char* const text = handle == nullptr ? nullptr : sqlite3_errmsg(handle);
    error.message = text == nullptr ? "SQLite could not be started" : text;
    switch (code & 0xff) {
      case SQLITE_INTERRUPT:
        error.kind = QueryError::Kind::kTime;
        error.message = "the query was stopped: its time was up";
        return error;
      case SQLITE_NOMEM:
        error.kind = QueryError::Kind::kMemory;
        error.message = "the query needs more memory than it may have";
        return error;
      case SQLITE_AUTH:
      case SQLITE_READONLY:
        error.kind = QueryError::Kind::kRefused;
        error.message = kReadOnly;
        return error;
      case SQLITE_ERROR:
      case SQLITE_TOOBIG:
      case SQLITE_MISMATCH:
      case SQLITE_RANGE:
        break;
      default:
        error.kind = QueryError::Kind::kInternal;
        return error;
    }
    if (error.message.ends_with("may not be modified")) {
      error.kind = QueryError::Kind::kRefused;
      error.message = kReadOnly;
      return error;
    }
    const int offset = sqlite3_error_offset(handle);
    if (offset >= 0) error.offset = static_cast<size_t>(offset);
    error.unknown_table = After(error.message, "no such table: ");
    error.unknown_column = After(error.message, "no such column: ");
    error.unknown_function = After(error.message, "no such function: ");
    return error;
  }

  QuerySource source;
  TableModules modules;
  QueryLimits limits;
  Clock::duration time = limits.time.count() == 0 ? Clock::duration(std::chrono::hours(24 * 365))
                                                  : Clock::duration(limits.time);
  sqlite3* handle = nullptr;
  int opened = SQLITE_OK;
};

struct Statement::Handle {
  explicit Handle(Database::Connection& of) : connection(of) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { sqlite3_finalize(statement); }

  Database::Connection& connection;
  sqlite3_stmt* statement = nullptr;
  Clock::duration time_left = connection.time;
};

Statement::Statement() = default;
Statement::Statement(Statement&&) noexcept = default;
Statement& Statement::operator=(Statement&&) noexcept = default;
Statement::~Statement() = default;

QueryResult<bool> Statement::Next() {
  Database::Connection& connection = handle_->connection;
  connection.StartClock(handle_->time_left);
  const int code = sqlite3_step(handle_->statement);
  handle_->time_left = connection.modules.deadline - Clock::now();
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected<QueryError>(connection.ErrorOf(code));
}

ResultValue Statement::Get(size_t column) const {
  sqlite3_stmt* const statement = handle_->statement;
  const auto i = static_cast<int>(column);
  ResultValue value;
  switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
      value.kind = ResultValue::Kind::kInteger;
      value.integer = sqlite3_column_int64(statement, i);
      break;
    case SQLITE_FLOAT:
      value.kind = ResultValue::Kind::kReal;
      value.real = sqlite3_column_double(statement, i);
      break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const bool text = sqlite3_column_type(statement, i) == SQLITE_TEXT;
      value.kind = text ? ResultValue::Kind::kText : ResultValue::Kind::kBlob;
      // As a blob also where it is text: that copies nothing to add a zero byte.
      const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, i));
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
      if (data != nullptr) value.bytes = {data, size};
      break;
    }
    default:
      break;
  }
  return value;
}

Database::Database(const QueryInput& input, const QueryLimits& limits)
    : connection_(std::make_unique<Connection>(input, limits)) {
  connection_->opened = connection_->Open();
}

Database::~Database() = default;

QueryResult<Statement> Database::Prepare(std::string_view sql) {
  if (connection_->opened != SQLITE_OK)
    return tl::unexpected<QueryError>(connection_->ErrorOf(connection_->opened));
  const auto refuse = [](std::string message, std::optional<size_t> offset) {
    QueryError error;
    error.message = std::move(message);
    error.offset = offset;
    return tl::unexpected<QueryError>(std::move(error));
  };
  if (const size_t zero = sql.find('\0'); zero != std::string_view::npos)
    return refuse("the SQL contains a zero byte", zero);
  if (sql.size() > size_t{1} << 20) return refuse("the SQL is longer than 1 MiB", std::nullopt);

  Statement out;
  out.handle_ = std::make_unique<Statement::Handle>(*connection_);
  connection_->StartClock(connection_->time);
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v3(connection_->handle, sql.data(), static_cast<int>(sql.size()),
                                      0, &out.handle_->statement, &rest);
  if (code != SQLITE_OK) return tl::unexpected<QueryError>(connection_->ErrorOf(code));
  if (out.handle_->statement == nullptr) return refuse("there is no SQL to run", std::nullopt);
  const auto end = static_cast<size_t>(rest - sql.data());
  // Comments may follow: SQLite itself finds no statement in them.
  if (!IsBlank(sql.substr(end))) {
    Statement::Handle second(*connection_);
    const int more =
        sqlite3_prepare_v3(connection_->handle, rest, static_cast<int>(sql.size() - end), 0,
                           &second.statement, nullptr);
    if (more != SQLITE_OK || second.statement != nullptr) {
      const size_t begin = sql.find_first_not_of(" \t\r\n;", end);
      return refuse("a query is one statement, and this is a second one", begin);
    }
  }
  if (sqlite3_bind_parameter_count(out.handle_->statement) > 0)
    return refuse("a query has no parameters: write the values into it", std::nullopt);

  std::vector<std::string> names;
  const int count = sqlite3_column_count(out.handle_->statement);
  if (count == 0 || sqlite3_stmt_readonly(out.handle_->statement) == 0) {
    QueryError error;
    error.kind = QueryError::Kind::kRefused;
    error.message = kReadOnly;
    return tl::unexpected<QueryError>(std::move(error));
  }
  for (int i = 0; i < count; ++i) {
    const char* name = sqlite3_column_name(out.handle_->statement, i);
    names.emplace_back(name == nullptr ? "" : name);
  }
  out.columns_ = Distinct(std::move(names));
  return out;
}

}  // namespace telltale
