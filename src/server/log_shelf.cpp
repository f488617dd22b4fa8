// SPDX-License-Identifier: Apache-2.0
#include "server/log_shelf.h"

#include <algorithm>
#include <exception>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "io/file_gate.h"

namespace telltale {

std::shared_ptr<LogFile> LogShelf::Get(std::string_view run, std::string_view name,
                                       const std::string& path, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Kept& kept = logs_[{std::string(run), std::string(name)}];
  if (kept.log == nullptr || kept.log->path() != path) {
    kept.log = std::make_shared<LogFile>(path);
    kept.told = StampOf(path);
  }
  kept.asked = now;
  std::shared_ptr<LogFile> log = kept.log;
  while (logs_.size() > kMostLogs) {
    logs_.erase(
        std::ranges::min_element(logs_, {}, [](const auto& one) { return one.second.asked; }));
  }
  return log;
}

void LogShelf::Look(const std::function<void(std::string_view text)>& tell, Clock::time_point now) {
  try {
    const std::lock_guard lock(mutex_);
    bool changed = false;
    JsonWriter json(false);
    json.BeginObject();
    json.Key("logs");
    json.BeginArray();
    for (auto& [key, kept] : logs_) {
      if (now - kept.asked > kForgotten) continue;
      const std::optional<FileStamp> stamp = StampOf(kept.log->path());
      if (stamp != kept.told) {
        changed = true;
        kept.told = stamp;
      }
      json.BeginObject();
      json.Field("id", RepairUtf8(key.first));
      json.Field("path", RepairUtf8(key.second));
      json.Field("bytes", stamp ? std::optional(stamp->bytes) : std::nullopt);
      json.Field("modified_ns",
                 stamp ? std::optional(std::to_string(stamp->modified_ns)) : std::nullopt);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    if (changed) tell(json.Take());
  } catch (const std::exception&) {
    return;  // no memory for it: the next look tells more
  }
}

}  // namespace telltale
