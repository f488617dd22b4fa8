// SPDX-License-Identifier: Apache-2.0
#include "runs/sqlite.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/byte_source.h"

namespace telltale {

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

uint32_t BigEndian(std::string_view bytes, size_t at) {
  const auto byte = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i]));
  };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

uint32_t LittleEndian(std::string_view bytes, size_t at) {
  return __builtin_bswap32(BigEndian(bytes, at));
}

// SQLite's running checksum over pairs of words.
struct WalSum {
  uint32_t first = 0, second = 0;
  void Add(std::string_view bytes, bool big) {
    for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      first += (big ? BigEndian(bytes, i) : LittleEndian(bytes, i)) + second;
      second += (big ? BigEndian(bytes, i + 4) : LittleEndian(bytes, i + 4)) + first;
    }
  }
};

Result<std::string> ReadWhole(const std::string& path, const FileGate& gate, size_t most) {
  Result<OpenedFile> opened = gate.Open(path);
  if (!opened) return tl::unexpected(opened.error());
  return ReadSmallFile(path, gate, most);
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* made = nullptr;
  code_ = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
}

void SqliteStatement::Bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), index, text.data() == nullptr ? "" : text.data(),
                      text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool SqliteStatement::Next() {
  if (statement_ == nullptr) return false;
  code_ = sqlite3_step(statement_.get());
  return code_ == SQLITE_ROW;
}

void SqliteStatement::Reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

bool SqliteStatement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

int64_t SqliteStatement::Int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double SqliteStatement::Real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view SqliteStatement::Text(int column) const {
  const void* const data = sqlite3_column_blob(statement_.get(), column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data),
          static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool SqliteDatabase::Run(const char* sql) {
  return sqlite3_exec(get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::string SqliteDatabase::message() const {
  return get() == nullptr ? "out of memory" : sqlite3_errmsg(get());
}

bool SqliteDatabase::TableExists(std::string_view name) const {
  SqliteStatement statement(get(),
                            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1");
  if (!statement.good()) return false;
  statement.Bind(1, name);
  return statement.Next();
}

bool SqliteDatabase::ColumnExists(std::string_view table, std::string_view column) const {
  SqliteStatement statement(get(), "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2");
  if (!statement.good()) return false;
  statement.Bind(1, table);
  statement.Bind(2, column);
  return statement.Next();
}

void Distrust(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
}

void ApplyWal(std::string& image, std::string_view wal) {
  // Header: magic, version, page size, checkpoint, two salts, two checksums, four bytes each. A
  // frame: page, size of the database behind a commit or 0, the salts, checksums, then the page.
  constexpr size_t kHeader = 32, kFrame = 24;
  if (wal.size() < kHeader) return;
  const uint32_t magic = BigEndian(wal, 0);
  if ((magic & ~1U) != 0x377f0682) return;
  const bool big = (magic & 1) != 0;
  const size_t page_bytes = BigEndian(wal, 8);
  if (page_bytes < 512 || page_bytes > 65536 || (page_bytes & (page_bytes - 1)) != 0) return;
  WalSum sum;
  sum.Add(wal.substr(0, 24), big);
  if (sum.first != BigEndian(wal, 24) || sum.second != BigEndian(wal, 28)) return;
  struct Page {
    size_t number;
    size_t at;
  };
  std::vector<Page> open;  // not committed yet
  for (size_t at = kHeader; at + kFrame + page_bytes <= wal.size(); at += kFrame + page_bytes) {
    if (wal.substr(at + 8, 8) != wal.substr(16, 8)) break;  // of an earlier round
    sum.Add(wal.substr(at, 8), big);
    sum.Add(wal.substr(at + kFrame, page_bytes), big);
    if (sum.first != BigEndian(wal, at + 16) || sum.second != BigEndian(wal, at + 20)) break;
    const size_t number = BigEndian(wal, at);
    if (number == 0) break;
    open.push_back({number, at + kFrame});
    const size_t pages = BigEndian(wal, at + 4);
    if (pages == 0) continue;
    // Never more than the log and the file themselves can hold.
    if (pages > image.size() / page_bytes + wal.size() / page_bytes) break;
    image.resize(pages * page_bytes);
    for (const Page& page : open) {
      if (page.number > pages) continue;
      std::memcpy(image.data() + (page.number - 1) * page_bytes, wal.data() + page.at, page_bytes);
    }
    open.clear();
  }
}

bool IsSqliteFile(const std::string& path, const FileGate& gate) {
  Result<std::unique_ptr<ByteSource>> source = OpenSource(path, gate);
  if (!source) return false;
  const Result<std::string> head = Peek(*source, kMagic.size());
  return head && *head == kMagic;
}

Result<SqliteDatabase> OpenImage(const std::string& path, const FileGate& gate, size_t most) {
  Result<std::string> read = ReadWhole(path, gate, most);
  if (!read) return tl::unexpected(read.error());
  std::string& image = *read;
  if (image.size() < 100 || !image.starts_with(kMagic)) {
    return Fail(ErrorCode::kUnreadable, fmt::format("{} is no SQLite database", path));
  }
  if (StampOf(path + "-wal")) {
    const Result<std::string> wal = ReadWhole(path + "-wal", gate, most);
    if (wal) ApplyWal(image, *wal);
  }
  // "Written with a log" (2) would make SQLite look for one.
  image[18] = 1;
  image[19] = 1;
  sqlite3* opened = nullptr;
  if (sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) {
    sqlite3_close_v2(opened);
    return Fail(ErrorCode::kUnreadable, "SQLite cannot be started");
  }
  SqliteDatabase database(opened);
  auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));
  if (bytes == nullptr) throw std::bad_alloc();
  std::memcpy(bytes, image.data(), image.size());
  if (sqlite3_deserialize(opened, "main", bytes, static_cast<int64_t>(image.size()),
                          static_cast<int64_t>(image.size()),
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) !=
      SQLITE_OK) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("{} cannot be read: {}", path, database.message()));
  }
  Distrust(opened);
  return database;
}

}  // namespace telltale
