// SPDX-License-Identifier: Apache-2.0
#include "runs/run_record.h"

#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "io/byte_source.h"
#include "runs/run_settings.h"

namespace telltale {

namespace {

constexpr size_t kMostBytes = size_t{4} << 20;
constexpr size_t kMostRanks = 10'000;
constexpr size_t kMostFrames = 100;

std::optional<int> IntOf(const JsonValue& value) {
  const std::optional<int64_t> number = value.WholeNumber();
  if (!number || *number < INT32_MIN || *number > INT32_MAX) return std::nullopt;
  return static_cast<int>(*number);
}

// 9, or "SIGKILL" and "KILL".
std::optional<int> SignalOf(const JsonValue& value) {
  if (!value.IsString()) return IntOf(value);
  std::string_view name = value.AsString();
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (int number = 1; number < NSIG; ++number) {
    const char* const known = ::sigabbrev_np(number);
    if (known != nullptr && name == known) return number;
  }
  return std::nullopt;
}

std::optional<std::string> TextOf(const JsonValue& value) {
  if (!value.IsString()) return std::nullopt;
  return value.AsString();
}

std::vector<std::string> TextsOf(const JsonValue& value) {
  std::vector<std::string> out;
  for (const JsonValue& element : value.elements()) {
    if (element.IsString()) out.push_back(element.AsString());
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> PairsOf(const JsonValue& value) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, member] : value.members()) out.emplace_back(name, member.AsString());
  return out;
}

std::vector<RankRecord> RanksOf(const JsonValue& value) {
  std::vector<RankRecord> out;
  for (const JsonValue& rank : value.elements()) {
    if (out.size() == kMostRanks) break;
    if (!rank.IsObject()) continue;
    out.push_back({rank["rank"].WholeNumber(), rank["local_rank"].WholeNumber(),
                   rank["host"].AsString(), rank["pid"].AsInt(),
                   RunStatusNamed(rank["status"].AsString()), IntOf(rank["exit_code"]),
                   SignalOf(rank["signal"])});
  }
  return out;
}

}  // namespace

std::optional<RunRecord> ReadRunRecord(std::string_view text, Diagnostics& diagnostics) {
  const Result<JsonValue> parsed = ParseJson(text);
  if (!parsed || !parsed->IsObject()) {
    diagnostics.AddWithDetail(DiagnosticKind::kMalformedMetadata,
                              parsed ? std::nullopt : parsed.error().offset,
                              fmt::format("run.json cannot be understood: {}",
                                          parsed ? "expected an object" : parsed.error().message));
    return std::nullopt;
  }
  const JsonValue& json = *parsed;
  RunRecord out;
  out.id = json["id"].AsString();
  out.name = json["name"].AsString();
  out.experiment = TextOf(json["experiment"]);
  out.group = TextOf(json["group"]);
  out.tags = TextsOf(json["tags"]);
  out.note = TextOf(json["note"]);
  out.status = RunStatusNamed(json["status"].AsString());
  if (json["status"].IsString() && !out.status) {
    diagnostics.AddWithDetail(
        DiagnosticKind::kMalformedMetadata, std::nullopt,
        fmt::format("run.json has a status that is none: '{}'", json["status"].AsString()));
  }
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
  out.ranks = RanksOf(json["ranks"]);
  out.environment = PairsOf(json["environment"]);
  out.start_ns = ParseTime(json["start"].AsString()).value_or(0);
  out.end_ns = ParseTime(json["end"].AsString());
  out.exit_code = IntOf(json["exit_code"]);
  out.signal = SignalOf(json["signal"]);
  out.error = json["error"];
  out.steps = json["steps"].WholeNumber();
  out.total_steps = json["total_steps"].WholeNumber();
  out.quick_run = json["quick_run"];
  out.profile = json["profile"];
  out.metrics = json["metrics"];
  out.artifacts = json["artifacts"];
  out.summary = json["summary"];
  out.recorded = TextsOf(json["recorded"]);
  if (const std::optional<int64_t> dropped = json["dropped_spans"].WholeNumber()) {
    out.dropped_spans = static_cast<uint64_t>(*dropped);
  }
  out.remarks = TextsOf(json["remarks"]);
  return out;
}

RunRecord RunRecordOf(const std::string& folder, const FileGate& gate) {
  const Result<std::string> text = ReadSmallFile(folder + "/run.json", gate, kMostBytes);
  if (!text) return {};
  Diagnostics diagnostics;  // who lists the run has told them
  return ReadRunRecord(*text, diagnostics).value_or(RunRecord());
}

std::optional<RunFailure> FailureOf(const RunRecord& record) {
  if (!record.error.IsObject()) return std::nullopt;
  RunFailure failure;
  failure.type = record.error["type"].AsString();
  failure.message = record.error["message"].AsString();
  for (const JsonValue& frame : record.error["frames"].elements()) {
    if (failure.frames.size() == kMostFrames) break;
    failure.frames.push_back(
        {frame["file"].AsString(), frame["line"].WholeNumber(), frame["function"].AsString()});
  }
  return failure;
}

}  // namespace telltale
