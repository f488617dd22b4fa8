// SPDX-License-Identifier: Apache-2.0
// MLflow's and trackio's SQLite databases. Columns that a version lacks are done without.
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "runs/foreign/foreign_run.h"
#include "runs/sqlite.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMsToNs = 1'000'000;

std::string Clean(std::string_view text) { return RepairUtf8(text); }

std::optional<int64_t> Milliseconds(const SqliteStatement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  const int64_t ms = row.Int(column);
  if (ms <= 0 || ms > INT64_MAX / kMsToNs) return std::nullopt;
  return ms * kMsToNs;
}

using Runs = std::vector<ForeignRun>;
using ById = std::map<std::string, size_t, std::less<>>;  // of Runs

ForeignRun* Find(Runs& runs, const ById& by_id, std::string_view id) {
  const auto at = by_id.find(id);
  return at == by_id.end() ? nullptr : &runs[at->second];
}

Result<Runs> ReadMlflow(const SqliteDatabase& database) {
  Runs runs;
  ById by_id;
  sqlite3* const db = database.get();
  const std::string name = database.ColumnExists("runs", "name") ? "r.name" : "r.run_uuid";
  SqliteStatement row(
      db, fmt::format("SELECT r.run_uuid, {}, r.status, r.start_time, r.end_time, "
                      "r.lifecycle_stage, e.name FROM runs r LEFT JOIN experiments e ON "
                      "e.experiment_id = r.experiment_id ORDER BY r.start_time, r.run_uuid",
                      name));
  while (row.Next()) {
    ForeignRun run;
    run.kind = RunKind::kMlflow;
    run.id = Clean(row.Text(0));
    run.name = Clean(row.Text(1));
    if (run.name.empty()) run.name = run.id;
    run.status = MlflowStatus(row.Text(2));
    run.start_ns = Milliseconds(row, 3);
    run.end_ns = Milliseconds(row, 4);
    run.deleted = row.Text(5) == "deleted";
    if (!row.IsNull(6)) run.experiment = Clean(row.Text(6));
    by_id.emplace(run.id, runs.size());
    runs.push_back(std::move(run));
  }
  if (!row.good() || row.code() != SQLITE_DONE) {
    return Fail(ErrorCode::kUnreadable, database.message());
  }
  SqliteStatement param(db, "SELECT run_uuid, key, value FROM params");
  std::map<ForeignRun*, Config> params;
  while (param.Next()) {
    ForeignRun* const run = Find(runs, by_id, param.Text(0));
    if (run != nullptr) {
      params[run].emplace_back(Clean(param.Text(1)), ConfigFromText(Clean(param.Text(2))));
    }
  }
  for (auto& [run, config] : params) MergeConfig(run->config, std::move(config));
  SqliteStatement tag(db, "SELECT run_uuid, key, value FROM tags ORDER BY key");
  while (tag.Next()) {
    if (ForeignRun* const run = Find(runs, by_id, tag.Text(0))) {
      AddMlflowTag(*run, tag.Text(1), tag.Text(2));
    }
  }
  // In the order in which they were written.
  SqliteStatement metric(db, database.ColumnExists("metrics", "is_nan")
                                 ? "SELECT run_uuid, key, value, timestamp, step, is_nan FROM "
                                   "metrics ORDER BY rowid"
                                 : "SELECT run_uuid, key, value, timestamp, step, 0 FROM metrics "
                                   "ORDER BY rowid");
  while (metric.Next()) {
    ForeignRun* const run = Find(runs, by_id, metric.Text(0));
    if (run == nullptr) continue;
    const double value = metric.Int(5) != 0 || metric.IsNull(2) ? std::nan("") : metric.Real(2);
    run->logged.Point(Clean(metric.Text(1)), metric.Int(4),
                      static_cast<double>(metric.Int(3)) / 1e3, value);
  }
  if (!metric.good() || metric.code() != SQLITE_DONE) {
    // What was read until then stands.
    for (ForeignRun& run : runs) {
      run.logged.series.diagnostics.AddWithDetail(DiagnosticKind::kDamagedData, std::nullopt,
                                                  "the database is damaged: " + database.message());
    }
  }
  return runs;
}

// trackio notes its own under names that begin with "_".
void TakeTrackioConfig(ForeignRun& run, const JsonValue& config) {
  JsonValue own = JsonValue::Object();
  for (const auto& [key, value] : config.members()) {
    if (key == "_Group" && value.IsString()) run.group = value.AsString();
    if (key == "_Created") run.start_ns = ParseTime(value.AsString());
    if (!key.starts_with('_')) own.Set(key, value);
  }
  run.config = FlattenConfig(own);
}

Result<Runs> ReadTrackio(const SqliteDatabase& database, const std::string& path) {
  Runs runs;
  ById by_id;
  sqlite3* const db = database.get();
  const std::string project = fs::path(path).stem().string();
  const std::string media = (fs::path(path).parent_path() / "media").string();
  // Older versions know runs by name alone.
  const auto id_of = [&](std::string_view table) {
    return database.ColumnExists(table, "run_id") ? "run_id" : "run_name";
  };
  const auto run_of = [&](std::string_view id, std::string_view name) -> ForeignRun& {
    const auto [at, is_new] = by_id.try_emplace(std::string(id), runs.size());
    if (is_new) {
      ForeignRun run;
      run.kind = RunKind::kTrackio;
      run.id = Clean(id);
      run.name = Clean(name);
      run.experiment = Clean(project);
      run.media = media;
      runs.push_back(std::move(run));
    }
    return runs[at->second];
  };
  if (database.TableExists("configs")) {
    SqliteStatement row(
        db, fmt::format("SELECT {}, run_name, config FROM configs ORDER BY id", id_of("configs")));
    while (row.Next()) {
      if (const Result<JsonValue> config = ParseJson(row.Text(2))) {
        TakeTrackioConfig(run_of(row.Text(0), row.Text(1)), *config);
      }
    }
  }
  SqliteStatement row(db, fmt::format("SELECT {}, run_name, timestamp, step, metrics FROM metrics "
                                      "ORDER BY id",
                                      id_of("metrics")));
  while (row.Next()) {
    ForeignRun& run = run_of(row.Text(0), row.Text(1));
    const std::optional<int64_t> time = ParseTime(row.Text(2));
    const double wall = time ? static_cast<double>(*time) / 1e9 : std::nan("");
    const Result<JsonValue> record = ParseJson(row.Text(4));
    if (record && record->IsObject()) {
      run.logged.Log(row.Int(3), wall, *record);
    } else {
      run.logged.series.diagnostics.Add(DiagnosticKind::kMalformedRecord, std::nullopt);
    }
  }
  const bool whole = row.good() && row.code() == SQLITE_DONE;
  if (!whole && runs.empty()) return Fail(ErrorCode::kUnreadable, database.message());
  if (database.TableExists("system_metrics")) {
    SqliteStatement system(
        db, fmt::format("SELECT {}, run_name, timestamp, metrics FROM system_metrics ORDER BY id",
                        id_of("system_metrics")));
    std::map<std::string, int64_t, std::less<>> steps;
    while (system.Next()) {
      const Result<JsonValue> record = ParseJson(system.Text(3));
      if (!record) continue;
      const std::optional<int64_t> time = ParseTime(system.Text(2));
      JsonValue named = JsonValue::Object();
      for (const auto& [key, value] : record->members()) named.Set("system/" + key, value);
      run_of(system.Text(0), system.Text(1))
          .logged.Log(steps[std::string(system.Text(0))]++,
                      time ? static_cast<double>(*time) / 1e9 : std::nan(""), named);
    }
  }
  if (!whole) {
    for (ForeignRun& run : runs) {
      run.logged.series.diagnostics.AddWithDetail(DiagnosticKind::kDamagedData, std::nullopt,
                                                  "the database is damaged: " + database.message());
    }
  }
  return runs;
}

}  // namespace

std::optional<RunStatus> MlflowStatus(std::string_view word) {
  if (word == "SCHEDULED" || word == "2") return RunStatus::kQueued;
  if (word == "FINISHED" || word == "3") return RunStatus::kCompleted;
  if (word == "FAILED" || word == "4") return RunStatus::kFailed;
  if (word == "KILLED" || word == "5") return RunStatus::kCanceled;
  return std::nullopt;
}

void AddMlflowTag(ForeignRun& run, std::string_view key, std::string_view value) {
  if (key == "mlflow.note.content") {
    run.note = Clean(value);
  } else if (key == "mlflow.runName") {
    if (run.name.empty()) run.name = Clean(value);
  } else if (!key.starts_with("mlflow.")) {
    run.tags.push_back(Clean(value.empty() ? key : fmt::format("{}={}", key, value)));
  }
}

Result<std::vector<ForeignRun>> ReadStore(const std::string& path, const FileGate& gate) {
  if (!IsSqliteFile(path, gate)) return Runs();
  const Result<SqliteDatabase> database = OpenImage(path, gate);
  if (!database) return tl::unexpected(database.error());
  const bool has_metrics = database->TableExists("metrics");
  if (has_metrics && database->ColumnExists("metrics", "run_uuid") &&
      database->TableExists("runs")) {
    return ReadMlflow(*database);
  }
  if (has_metrics && database->ColumnExists("metrics", "run_name") &&
      database->ColumnExists("metrics", "metrics")) {
    return ReadTrackio(*database, path);
  }
  return Runs();
}

}  // namespace telltale
