// SPDX-License-Identifier: Apache-2.0
#include "runs/run_outcome.h"

#include "base/json/value.h"
#include "io/byte_source.h"

namespace telltale {

namespace {

constexpr size_t kMostBytes = size_t{4} << 20;
constexpr size_t kMostRanks = 10'000;
constexpr size_t kMostFrames = 100;

std::optional<int64_t> NumberOf(const JsonValue& value) { return value.WholeNumber(); }

std::string SignalOf(const JsonValue& value) {
  if (value.IsString()) return value.AsString();
  return value.IsNumber() ? std::to_string(value.AsInt()) : std::string();
}

}  // namespace

RunOutcome ReadRunOutcome(std::string_view text) {
  RunOutcome record;
  const Result<JsonValue> parsed = ParseJson(text);
  if (!parsed || !parsed->IsObject()) return record;
  const JsonValue& json = *parsed;
  record.steps = NumberOf(json["steps"]);
  record.total_steps = NumberOf(json["total_steps"]);
  record.exit_code = NumberOf(json["exit_code"]);
  record.signal = SignalOf(json["signal"]);
  record.host = json["host"].AsString();
  for (const JsonValue& word : json["command"].elements()) {
    record.command.push_back(word.AsString());
  }
  if (const JsonValue& error = json["error"]; error.IsObject()) {
    record.error.emplace();
    record.error->type = error["type"].AsString();
    record.error->message = error["message"].AsString();
    for (const JsonValue& frame : error["frames"].elements()) {
      if (record.error->frames.size() == kMostFrames) break;
      record.error->frames.push_back(
          {frame["file"].AsString(), NumberOf(frame["line"]), frame["function"].AsString()});
    }
  }
  for (const JsonValue& rank : json["ranks"].elements()) {
    if (record.ranks.size() == kMostRanks) break;
    if (!rank["rank"].IsNumber()) continue;
    record.ranks.push_back({rank["rank"].AsInt(), rank["host"].AsString(), NumberOf(rank["pid"]),
                            rank["status"].AsString(), NumberOf(rank["exit_code"]),
                            SignalOf(rank["signal"])});
  }
  return record;
}

RunOutcome RunOutcomeOf(const std::string& folder, const FileGate& gate) {
  const Result<std::string> text = ReadSmallFile(folder + "/run.json", gate, kMostBytes);
  return text ? ReadRunOutcome(*text) : RunOutcome();
}

}  // namespace telltale
