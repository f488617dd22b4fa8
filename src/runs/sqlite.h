// SPDX-License-Identifier: Apache-2.0
// SQLite for the files of runs: a connection and a statement that close themselves, and the way to
// read somebody else's database without touching it. SQLite itself would lock the file, and make
// files beside it; so the gate reads the bytes, the log's committed pages (-wal) are put into them,
// and SQLite sees a database in memory. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "base/result.h"
#include "io/file_gate.h"

namespace telltale {

class SqliteStatement {
 public:
  SqliteStatement(sqlite3* database, std::string_view sql);

  // What went wrong, if anything did, is the database's message.
  [[nodiscard]] bool good() const { return statement_ != nullptr; }
  void Bind(int index, std::string_view text);
  void Bind(int index, int64_t value) { sqlite3_bind_int64(statement_.get(), index, value); }
  void BindNull(int index) { sqlite3_bind_null(statement_.get(), index); }
  // The next row. False: there is none, or it failed: code().
  [[nodiscard]] bool Next();
  void Reset();
  [[nodiscard]] int code() const { return code_; }

  [[nodiscard]] bool IsNull(int column) const;
  [[nodiscard]] int64_t Int(int column) const;
  [[nodiscard]] double Real(int column) const;
  // Of a text or a blob; valid until the next row.
  [[nodiscard]] std::string_view Text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int code_ = SQLITE_OK;
};

class SqliteDatabase {
 public:
  SqliteDatabase() = default;
  explicit SqliteDatabase(sqlite3* opened) : database_(opened) {}

  [[nodiscard]] sqlite3* get() const { return database_.get(); }
  [[nodiscard]] bool Run(const char* sql);
  [[nodiscard]] std::string message() const;
  [[nodiscard]] bool TableExists(std::string_view name) const;
  [[nodiscard]] bool ColumnExists(std::string_view table, std::string_view column) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// Nothing in a database that comes from somewhere may act: no triggers, views or functions of its
// schema, no attaching.
void Distrust(sqlite3* database);

// The database as it is at the last commit. An Error: it is none, or larger than `most`.
[[nodiscard]] Result<SqliteDatabase> OpenImage(const std::string& path, const FileGate& gate,
                                               size_t most = size_t{2} << 30);
// Whether the first bytes are those of a database; cheap.
[[nodiscard]] bool IsSqliteFile(const std::string& path, const FileGate& gate);

// The pages that the log holds, put into the image. `image` is a whole database. Pages of
// transactions that were not committed, or whose checksums are wrong, are left out.
void ApplyWal(std::string& image, std::string_view wal);

}  // namespace telltale
