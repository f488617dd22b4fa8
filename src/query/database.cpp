// SPDX-License-Identifier: Apache-2.0
#include "query/database.h"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "query/allowance.h"
#include "query/defenses.h"
#include "query/sql_functions.h"
#include "query/text_functions.h"
#include "query/virtual_table.h"

namespace telltale {

namespace {

using Clock = Allowance::Clock;

// Instructions of SQLite's machine between two looks at the clock: some microseconds, or half a
// second if each of them compares texts of a megabyte.
constexpr int kInstructionsPerCheck = 500;

// The largest sensible statements take a few megabytes. Those that take more are names for names
// for names, written out without end, and letting go of what they took is slow.
constexpr int64_t kMemoryToPrepare = int64_t{64} << 20;

// Of all columns together.
constexpr size_t kLongestNames = size_t{1} << 20;

constexpr std::string_view kReadOnly =
    "a query can only read: SELECT, WITH, EXPLAIN and PRAGMA table_info work";

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
  std::map<std::string, int> last_number;  // by name
  for (std::string& name : names) {
    const auto [at, first] = last_number.try_emplace(name, 1);
    if (first) continue;
    std::string other;
    do {
      other = at->first + "_" + std::to_string(++at->second);
    } while (!taken.insert(other).second);
    name = std::move(other);
  }
  return names;
}

}  // namespace

struct Database::Connection {
  Connection(const QueryInput& input, const QueryLimits& wanted)
      : allowance({wanted.memory_bytes, wanted.all_memory_bytes, wanted.canceled}),
        source(input),
        modules(source, allowance),
        limits(wanted) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    const Allowance::Scope scope(allowance);
    sqlite3_close(handle);
  }

  int Open() {
    int code = InstallCountedMemory();
    if (code != SQLITE_OK) return code;
    const Allowance::Scope scope(allowance);
    code = sqlite3_open_v2(
        ":memory:", &handle,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
        kFileSystem);
    if (code != SQLITE_OK) return code;
    sqlite3_extended_result_codes(handle, 1);
    code = Harden(handle);
    if (code != SQLITE_OK) return code;
    code = RegisterTables(handle, modules);
    if (code != SQLITE_OK) return code;
    code = RegisterFunctions(handle, allowance);
    if (code != SQLITE_OK) return code;
    code = RegisterTextFunctions(handle, allowance);
    if (code != SQLITE_OK) return code;
    sqlite3_progress_handler(
        handle, kInstructionsPerCheck,
        [](void* self) { return static_cast<Allowance*>(self)->Spent() ? 1 : 0; }, &allowance);
    return Restrict(handle, limits.value_bytes, limits.sql_bytes, &modules.declaring);
  }

  [[nodiscard]] QueryError ErrorOf(int code) const {
    QueryError error;
    const char* const text = handle == nullptr ? nullptr : sqlite3_errmsg(handle);
    error.message = text == nullptr ? "SQLite could not be started" : text;
    // Whatever SQLite says: a query without time has no memory either (allowance.h).
    switch (allowance.stop()) {
      case Allowance::Stop::kTime:
        error.kind = QueryError::Kind::kTime;
        error.message = "the query was stopped: its time was up";
        return error;
      case Allowance::Stop::kCanceled:
        error.kind = QueryError::Kind::kCanceled;
        error.message = "the query was stopped: nobody waits for it any more";
        return error;
      case Allowance::Stop::kNone:
        break;
    }
    switch (code == SQLITE_IOERR_NOMEM ? SQLITE_NOMEM : code & 0xff) {
      case SQLITE_NOMEM:
      case SQLITE_FULL:  // the files of sorting are memory, too
        error.kind = QueryError::Kind::kMemory;
        error.message = "the query needs more memory than it may have";
        return error;
      case SQLITE_AUTH:
      case SQLITE_READONLY:
        error.kind = QueryError::Kind::kRefused;
        error.message = kReadOnly;
        return error;
      case SQLITE_TOOBIG:
        error.message =
            fmt::format("a text or blob is too big: the limit is {} bytes", limits.value_bytes);
        return error;
      case SQLITE_ERROR:
      case SQLITE_MISMATCH:
      case SQLITE_RANGE:
        break;
      default:
        error.kind = QueryError::Kind::kInternal;
        return error;
    }
    if (const std::string function = After(error.message, "not authorized to use function: ");
        !function.empty()) {
      error.kind = QueryError::Kind::kRefused;
      error.message = "the function " + function + " cannot be used in a query";
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

  Allowance allowance;  // first: what follows counts with it until its end
  QuerySource source;
  TableModules modules;
  QueryLimits limits;
  sqlite3* handle = nullptr;
  int opened = SQLITE_OK;
};

struct Statement::Handle {
  explicit Handle(Database::Connection& of) : connection(of) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    const Allowance::Scope scope(connection.allowance);
    sqlite3_finalize(statement);
  }

  Database::Connection& connection;
  sqlite3_stmt* statement = nullptr;
  // A year is as good as no limit and fits the clock.
  Clock::duration time_left = connection.limits.time.count() == 0
                                  ? Clock::duration(std::chrono::hours(24 * 365))
                                  : Clock::duration(connection.limits.time);
};

Statement::Statement() = default;
Statement::Statement(Statement&&) noexcept = default;
Statement& Statement::operator=(Statement&&) noexcept = default;
Statement::~Statement() = default;

QueryResult<bool> Statement::Next() {
  Database::Connection& connection = handle_->connection;
  const Allowance::Scope scope(connection.allowance);
  connection.allowance.StartClock(handle_->time_left);
  const int code = sqlite3_step(handle_->statement);
  handle_->time_left = connection.allowance.StopClock();
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected<QueryError>(connection.ErrorOf(code));
}

ResultValue Statement::Get(size_t column) const {
  const Allowance::Scope scope(handle_->connection.allowance);
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
  const auto longest = static_cast<size_t>(connection_->limits.sql_bytes);
  if (sql.size() > longest)
    return refuse(fmt::format("the SQL is longer than {} KiB", longest >> 10U), std::nullopt);

  Statement out;
  out.handle_ = std::make_unique<Statement::Handle>(*connection_);
  const Allowance::Scope scope(connection_->allowance);
  const auto prepare = [&](std::string_view text, Statement::Handle& handle, const char** rest) {
    Allowance& allowance = connection_->allowance;
    allowance.StartClock(out.handle_->time_left);
    allowance.LimitMemory(allowance.used_bytes() + kMemoryToPrepare);
    const int code = sqlite3_prepare_v3(connection_->handle, text.data(),
                                        static_cast<int>(text.size()), 0, &handle.statement, rest);
    allowance.LimitMemory(INT64_MAX);
    out.handle_->time_left = allowance.StopClock();
    return code;
  };
  const char* rest = nullptr;
  const int code = prepare(sql, *out.handle_, &rest);
  if (code != SQLITE_OK) return tl::unexpected<QueryError>(connection_->ErrorOf(code));
  if (out.handle_->statement == nullptr) return refuse("there is no SQL to run", std::nullopt);
  const auto end = static_cast<size_t>(rest - sql.data());
  // Comments may follow: SQLite itself finds no statement in them.
  if (!IsBlank(sql.substr(end))) {
    Statement::Handle second(*connection_);
    const int more = prepare(sql.substr(end), second, nullptr);
    if (connection_->allowance.stop() != Allowance::Stop::kNone)
      return tl::unexpected<QueryError>(connection_->ErrorOf(more));
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
  size_t name_bytes = 0;
  for (int i = 0; i < count; ++i) {
    const char* name = sqlite3_column_name(out.handle_->statement, i);
    names.emplace_back(name == nullptr ? "" : name);
    name_bytes += names.back().size();
    // A name of many kilobytes may stand for hundreds of columns.
    if (name_bytes > kLongestNames)
      return refuse("the names of the columns are longer than 1 MiB together", std::nullopt);
  }
  out.columns_ = Distinct(std::move(names));
  return out;
}

}  // namespace telltale
