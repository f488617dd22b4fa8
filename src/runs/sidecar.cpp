// SPDX-License-Identifier: Apache-2.0
#include "runs/sidecar.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/json/value.h"
#include "io/file_gate.h"
#include "runs/sqlite.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFolder = ".telltale";
constexpr std::string_view kFile = "runs.db";

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS notes("
    "key TEXT PRIMARY KEY, name TEXT, tags TEXT, note TEXT, color TEXT, pinned INTEGER, "
    "hidden INTEGER, deleted INTEGER, kind TEXT, trash TEXT, moved TEXT) WITHOUT ROWID;"
    "PRAGMA user_version = 1";

// A folder of its own, not a link to somewhere.
bool IsRealFolder(const fs::path& path) {
  struct stat facts = {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// By the settings of whoever runs the program; "" if there are none.
fs::path StateFolder() {
  // The environment is not changed by anyone here. NOLINTBEGIN(concurrency-mt-unsafe)
  if (const char* const state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return fs::path(state) / "telltale";
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".local/state/telltale";
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return {};
}

fs::path BesideLogs(const std::string& real) { return fs::path(real) / kFolder; }

fs::path InStateFolder(const std::string& real) {
  const fs::path state = StateFolder();
  if (state.empty()) return {};
  return state / fmt::format("{:016x}", XXH3_64bits(real.data(), real.size()));
}

bool MayWrite(const std::string& real) {
  const fs::path folder = BesideLogs(real);
  std::error_code ignored;
  if (fs::symlink_status(folder, ignored).type() != fs::file_type::not_found) {
    return IsRealFolder(folder) && ::access(folder.c_str(), W_OK | X_OK) == 0;
  }
  return ::access(real.c_str(), W_OK | X_OK) == 0;
}

std::string TagsText(const std::vector<std::string>& tags) {
  JsonValue list = JsonValue::Array();
  for (const std::string& tag : tags) list.Add(JsonValue::String(tag));
  return ToJsonText(list);
}

std::optional<std::string> OptionalText(const SqliteStatement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return std::string(row.Text(column));
}

using AllNotes = std::map<std::string, RunNotes, std::less<>>;

Result<AllNotes> ReadNotes(SqliteDatabase& database, const std::string& path) {
  AllNotes all;
  SqliteStatement row(database.get(),
                      "SELECT key, name, tags, note, color, pinned, hidden, deleted, kind, trash, "
                      "moved FROM notes");
  while (row.Next()) {
    RunNotes notes;
    notes.name = OptionalText(row, 1);
    if (!row.IsNull(2)) {
      notes.tags.emplace();
      if (const Result<JsonValue> tags = ParseJson(row.Text(2))) {
        for (const JsonValue& tag : tags->elements()) notes.tags->push_back(tag.AsString());
      }
    }
    notes.note = OptionalText(row, 3);
    notes.color = row.Text(4);
    notes.pinned = row.Int(5) != 0;
    notes.hidden = row.Int(6) != 0;
    notes.deleted = row.Int(7) != 0;
    notes.kind = row.Text(8);
    notes.trash = row.Text(9);
    notes.moved = row.Text(10);
    all.emplace(row.Text(0), std::move(notes));
  }
  if (!row.good() || row.code() != SQLITE_DONE) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("{} cannot be read ({}): names, tags and notes of runs are missing; "
                            "remove it to begin anew",
                            path, database.message()));
  }
  return all;
}

}  // namespace

struct Sidecar::Connection {
  SqliteDatabase database;
  std::string path;
};

Sidecar::Sidecar(std::string real) : real_(std::move(real)) {}
Sidecar::~Sidecar() = default;

bool Sidecar::beside_logs() const { return MayWrite(real_); }

std::string Sidecar::Folder() const {
  return (beside_logs() ? BesideLogs(real_) : InStateFolder(real_)).string();
}

Result<Sidecar::Connection*> Sidecar::Open(bool make) {
  const std::string folder = Folder();
  const auto fail = [&](std::string_view why) {
    return Fail(ErrorCode::kUnwritable,
                fmt::format("names, tags and notes of runs cannot be kept in {}: {}",
                            folder.empty() ? "the user's state folder" : folder, why));
  };
  const std::string path = folder + "/" + std::string(kFile);
  if (connection_ != nullptr && connection_->path == path && StampOf(path)) {
    return connection_.get();
  }
  connection_.reset();
  if (!StampOf(path) && !make) return nullptr;
  if (folder.empty()) return fail("neither XDG_STATE_HOME nor HOME is set");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(error.message());
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX,
      nullptr);
  auto connection = std::make_unique<Connection>(SqliteDatabase(opened), path);
  if (code != SQLITE_OK) return fail(connection->database.message());
  Distrust(opened);
  constexpr int kWaitMs = 5000;  // for other processes
  sqlite3_busy_timeout(opened, kWaitMs);
  // A file system without shared memory keeps the usual journal.
  (void)connection->database.Run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (!connection->database.Run(kSchema)) return fail(connection->database.message());
  connection_ = std::move(connection);
  return connection_.get();
}

Result<AllNotes> Sidecar::Read() {
  const std::scoped_lock lock(mutex_);
  // What somebody who may write has said holds where nothing else was said.
  AllNotes all;
  const std::string beside = (BesideLogs(real_) / kFile).string();
  if (!MayWrite(real_) && StampOf(beside)) {
    if (Result<SqliteDatabase> image = OpenImage(beside, {})) {
      if (Result<AllNotes> notes = ReadNotes(*image, beside)) all = std::move(*notes);
    }
  }
  Result<Connection*> connection = Open(false);
  if (!connection) return tl::unexpected(connection.error());
  if (*connection == nullptr) return all;
  Result<AllNotes> own = ReadNotes((*connection)->database, (*connection)->path);
  if (!own) return own;
  for (auto& [key, notes] : *own) all.insert_or_assign(key, std::move(notes));
  return all;
}

Result<void> Sidecar::Write(const AllNotes& changed) {
  const std::scoped_lock lock(mutex_);
  Result<Connection*> opened = Open(true);
  if (!opened) return tl::unexpected(opened.error());
  SqliteDatabase& database = (*opened)->database;
  const auto fail = [&] {
    const std::string why = database.message();
    (void)database.Run("ROLLBACK");
    return Fail(ErrorCode::kUnwritable, fmt::format("{}: {}", (*opened)->path, why));
  };
  if (!database.Run("BEGIN IMMEDIATE")) return fail();
  {
    SqliteStatement put(database.get(),
                        "INSERT OR REPLACE INTO notes VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)");
    SqliteStatement drop(database.get(), "DELETE FROM notes WHERE key = ?1");
    if (!put.good() || !drop.good()) return fail();
    for (const auto& [key, notes] : changed) {
      SqliteStatement& statement = notes == RunNotes() ? drop : put;
      statement.Bind(1, key);
      if (&statement == &put) {
        notes.name ? put.Bind(2, *notes.name) : put.BindNull(2);
        notes.tags ? put.Bind(3, TagsText(*notes.tags)) : put.BindNull(3);
        notes.note ? put.Bind(4, *notes.note) : put.BindNull(4);
        put.Bind(5, notes.color);
        put.Bind(6, int64_t{notes.pinned});
        put.Bind(7, int64_t{notes.hidden});
        put.Bind(8, int64_t{notes.deleted});
        put.Bind(9, notes.kind);
        put.Bind(10, notes.trash);
        put.Bind(11, notes.moved);
      }
      (void)statement.Next();
      if (statement.code() != SQLITE_DONE) return fail();
      statement.Reset();
    }
  }
  if (!database.Run("COMMIT")) return fail();
  return {};
}

uint64_t Sidecar::Version() {
  const std::string path = Folder() + "/" + std::string(kFile);
  std::string all;
  for (const std::string& file : {path, path + "-wal"}) {
    const FileStamp stamp = StampOf(file).value_or(FileStamp());
    all += fmt::format("{} {} {} ", stamp.bytes, stamp.modified_ns, stamp.inode);
  }
  return XXH3_64bits(all.data(), all.size());
}

}  // namespace telltale
