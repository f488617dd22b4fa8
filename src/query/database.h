// SPDX-License-Identifier: Apache-2.0
// SQL over traces and profiles: a connection whose tables are the columns in memory (sql_table.h).
// Nothing can be written, attached or loaded, and time and memory are bounded: the SQL may come
// from anyone. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/query_file.h"
#include "query/sql_table.h"

namespace telltale {

struct QueryLimits {
  // Of one statement, from its preparation to its last row, while SQLite works on it; 0: none.
  std::chrono::milliseconds time = std::chrono::seconds(60);
  int64_t memory_bytes = int64_t{2} << 30;  // of the query, beside the files themselves
  int64_t all_memory_bytes = INT64_MAX;     // of all queries of the process together
  int value_bytes = 64 << 20;               // of one value
  int sql_bytes = 1 << 20;
  std::function<bool()> canceled = nullptr;  // asked all the time: true ends the query
};

// Why a query was not answered, with what is needed to show the place.
struct QueryError {
  enum class Kind : uint8_t {
    kSql,       // the SQL is wrong
    kRefused,   // the SQL asks for what queries must not do
    kTime,      // out of time
    kMemory,    // out of memory
    kCanceled,  // nobody waits for it any more
    kInternal,  // SQLite itself failed
  };
  Kind kind = Kind::kSql;
  std::string message;           // a sentence without a full stop
  std::optional<size_t> offset;  // byte of the SQL
  std::string unknown_table;     // the name of a table that does not exist
  std::string unknown_column;    // … or of a column
  std::string unknown_function;  // … or of a function
};

template <typename T>
using QueryResult = tl::expected<T, QueryError>;

// One value of a result row. Text and blobs are valid until the next row.
struct ResultValue {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText, kBlob };
  Kind kind = Kind::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string_view bytes;
};

class Database;

// A statement with its result rows. Must not outlive its database.
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  // As the SQL calls them; equal names are made different by _2, _3 …
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  // Goes to the next row; false: there is none.
  [[nodiscard]] QueryResult<bool> Next();
  [[nodiscard]] ResultValue Get(size_t column) const;

 private:
  friend class Database;
  struct Handle;
  Statement();
  std::unique_ptr<Handle> handle_;
  std::vector<std::string> columns_;
};

class Database {
 public:
  explicit Database(const QueryInput& input, const QueryLimits& limits = {});
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Takes exactly one statement that reads.
  [[nodiscard]] QueryResult<Statement> Prepare(std::string_view sql);

 private:
  friend class Statement;
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace telltale
