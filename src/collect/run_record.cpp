// SPDX-License-Identifier: Apache-2.0
#include "collect/run_record.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "collect/clock.h"
#include "runs/run_settings.h"

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

std::optional<int64_t> NumberOf(const JsonValue& value) { return value.WholeNumber(); }

std::optional<int> IntOf(const JsonValue& value) {
  const std::optional<int64_t> number = value.WholeNumber();
  if (!number || *number < INT32_MIN || *number > INT32_MAX) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<std::string> TextOf(const JsonValue& value) {
  if (!value.IsString()) return std::nullopt;
  return value.AsString();
}

std::vector<std::string> TextsOf(const JsonValue& value) {
  std::vector<std::string> out;
  for (const JsonValue& element : value.elements()) out.push_back(element.AsString());
  return out;
}

std::vector<std::pair<std::string, std::string>> PairsOf(const JsonValue& value) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, member] : value.members()) out.emplace_back(name, member.AsString());
  return out;
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
  json.Field("status", NameOf(record.status));
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
  if (!record.quick_run.IsNull()) {
    json.Key("quick_run");
    json.Raw(ToJsonText(record.quick_run));
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
  const Result<JsonValue> parsed = ParseJson(text);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!parsed->IsObject()) return Fail(ErrorCode::kUnreadable, "run.json: expected an object");
  const JsonValue& json = *parsed;
  RunRecord out;
  out.id = json["id"].AsString();
  out.name = json["name"].AsString();
  out.experiment = TextOf(json["experiment"]);
  out.group = TextOf(json["group"]);
  out.tags = TextsOf(json["tags"]);
  out.note = TextOf(json["note"]);
  const std::optional<RunStatus> status = RunStatusNamed(json["status"].AsString());
  if (!status) return Fail(ErrorCode::kUnreadable, "run.json: expected a status");
  out.status = *status;
  out.command = TextsOf(json["command"]);
  out.cwd = json["cwd"].AsString();
  out.script = json["script"].AsString();
  if (const JsonValue& git = json["git"]; git.IsObject()) {
    out.git = GitFacts{git["commit"].AsString(), git["branch"].AsString(), std::nullopt};
    if (!git["dirty"].IsNull()) out.git->dirty = git["dirty"].AsBool();
  }
  out.versions = PairsOf(json["versions"]);
  out.host = json["host"].AsString();
  out.hosts = TextsOf(json["hosts"]);
  out.user_id = static_cast<uint64_t>(json["user_id"].AsInt());
  out.pid = json["pid"].AsInt();
  for (const JsonValue& rank : json["ranks"].elements()) {
    out.ranks.push_back({NumberOf(rank["rank"]), NumberOf(rank["local_rank"]),
                         rank["host"].AsString(), rank["pid"].AsInt(),
                         RunStatusNamed(rank["status"].AsString()), IntOf(rank["exit_code"]),
                         IntOf(rank["signal"])});
  }
  out.environment = PairsOf(json["environment"]);
  out.start_ns = ParseTime(json["start"].AsString()).value_or(0);
  out.end_ns = ParseTime(json["end"].AsString());
  out.exit_code = IntOf(json["exit_code"]);
  out.signal = IntOf(json["signal"]);
  out.error = json["error"];
  out.steps = NumberOf(json["steps"]);
  out.quick_run = json["quick_run"];
  out.summary = json["summary"];
  out.metrics = json["metrics"];
  out.artifacts = json["artifacts"];
  out.recorded = TextsOf(json["recorded"]);
  if (const std::optional<int64_t> dropped = NumberOf(json["dropped_spans"])) {
    out.dropped_spans = static_cast<uint64_t>(*dropped);
  }
  out.remarks = TextsOf(json["remarks"]);
  return out;
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
