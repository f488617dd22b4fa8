// SPDX-License-Identifier: Apache-2.0
#include "collect/run_record.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "collect/clock.h"

namespace telltale {

namespace {

void Text(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Field(key, RepairUtf8(text));
}

void TextOrNull(JsonWriter& json, std::string_view key, const std::optional<std::string>& text) {
  text ? Text(json, key, *text) : json.FieldNull(key);
}

void Texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) json.String(RepairUtf8(text));
  json.EndArray();
}

void Pairs(JsonWriter& json, std::string_view key,
           const std::vector<std::pair<std::string, std::string>>& pairs) {
  json.Key(key);
  json.BeginObject();
  for (const auto& [name, value] : pairs) Text(json, RepairUtf8(name), value);
  json.EndObject();
}

void TimeOrNull(JsonWriter& json, std::string_view key, const std::optional<int64_t>& wall_ns) {
  wall_ns ? json.Field(key, FormatTime(*wall_ns)) : json.FieldNull(key);
}

}  // namespace

std::string ToJson(const RunRecord& record) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", 1);
  json.Field("id", record.id);
  Text(json, "name", record.name);
  TextOrNull(json, "experiment", record.experiment);
  TextOrNull(json, "group", record.group);
  Texts(json, "tags", record.tags);
  TextOrNull(json, "note", record.note);
  record.status ? json.Field("status", NameOf(*record.status)) : json.FieldNull("status");
  Texts(json, "command", record.command);
  Text(json, "cwd", record.cwd);
  record.script.empty() ? json.FieldNull("script") : Text(json, "script", record.script);
  json.Key("git");
  if (record.git) {
    json.BeginObject();
    record.git->commit.empty() ? json.FieldNull("commit")
                               : Text(json, "commit", record.git->commit);
    record.git->branch.empty() ? json.FieldNull("branch")
                               : Text(json, "branch", record.git->branch);
    json.Field("dirty", record.git->dirty);
    json.EndObject();
  } else {
    json.Null();
  }
  Pairs(json, "versions", record.versions);
  Text(json, "host", record.host);
  if (!record.hosts.empty()) Texts(json, "hosts", record.hosts);
  json.Field("user_id", record.user_id);
  record.pid == 0 ? json.FieldNull("pid") : json.Field("pid", record.pid);
  json.Key("ranks");
  json.BeginArray();
  for (const RankRecord& rank : record.ranks) {
    json.BeginObject();
    json.Field("rank", rank.rank);
    json.Field("local_rank", rank.local_rank);
    Text(json, "host", rank.host);
    json.Field("pid", rank.pid);
    rank.status ? json.Field("status", NameOf(*rank.status)) : json.FieldNull("status");
    json.Field("exit_code", rank.exit_code);
    json.Field("signal", rank.signal);
    json.EndObject();
  }
  json.EndArray();
  Pairs(json, "environment", record.environment);
  json.Field("start", FormatTime(record.start_ns));
  TimeOrNull(json, "end", record.end_ns);
  json.Field("exit_code", record.exit_code);
  json.Field("signal", record.signal);
  json.Key("error");
  json.Raw(ToJsonText(record.error));
  json.Field("steps", record.steps);
  if (record.total_steps) json.Field("total_steps", *record.total_steps);
  if (!record.quick_run.IsNull()) {
    json.Key("quick_run");
    json.Raw(ToJsonText(record.quick_run));
  }
  if (!record.profile.IsNull()) {
    json.Key("profile");
    json.Raw(ToJsonText(record.profile));
  }
  if (!record.summary.IsNull()) {
    json.Key("summary");
    json.Raw(ToJsonText(record.summary));
  }
  if (!record.metrics.IsNull()) {
    json.Key("metrics");
    json.Raw(ToJsonText(record.metrics));
  }
  if (!record.artifacts.IsNull()) {
    json.Key("artifacts");
    json.Raw(ToJsonText(record.artifacts));
  }
  Texts(json, "recorded", record.recorded);
  if (record.dropped_spans) json.Field("dropped_spans", *record.dropped_spans);
  Texts(json, "remarks", record.remarks);
  json.EndObject();
  return json.Take();
}

Result<RunRecord> RunRecordFrom(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<RunRecord> record = ReadRunRecord(text, diagnostics);
  if (!record) return Fail(ErrorCode::kUnreadable, "run.json: expected an object");
  if (!record->status) return Fail(ErrorCode::kUnreadable, "run.json: expected a status");
  return std::move(*record);
}

void SetVersion(RunRecord& record, std::string_view name, std::string_view version) {
  const auto at = std::ranges::find(record.versions, name,
                                    [](const auto& item) { return std::string_view(item.first); });
  if (at == record.versions.end()) {
    record.versions.emplace_back(name, version);
  } else {
    at->second = version;
  }
}

}  // namespace telltale
