// SPDX-License-Identifier: Apache-2.0
#include "server/run_teller.h"

#include <optional>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace telltale {

namespace {

// Who has missed more asks again: about a page's size.
constexpr size_t kMostTold = 2000;

void WriteIds(std::string_view key, const std::vector<std::string>& ids, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& id : ids) json.String(id);
  json.EndArray();
}

size_t SizeOf(const WorkspaceChange& change) {
  size_t size = change.added.size() + change.gone.size();
  for (const WorkspaceChange::Changed& changed : change.changed) size += 1 + changed.tags.size();
  return size;
}

}  // namespace

void RunTeller::Tell(const WorkspaceChange& change) {
  const std::lock_guard lock(mutex_);
  const bool tells = SizeOf(change) <= kMostTold;
  JsonWriter json(false);
  json.BeginObject();
  json.Field("revision", change.revision);
  json.Field("since", tells ? std::optional(told_) : std::nullopt);
  json.Key("changed");
  json.BeginArray();
  for (size_t i = 0; tells && i < change.changed.size(); ++i) {
    const WorkspaceChange::Changed& changed = change.changed[i];
    json.BeginObject();
    json.Field("id", changed.id);
    json.Key("tags");
    json.BeginArray();
    for (const WorkspaceChange::TagPoints& tag : changed.tags) {
      json.BeginObject();
      json.Field("tag", RepairUtf8(tag.tag));
      json.Field("points", tag.points);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  WriteIds("added", tells ? change.added : std::vector<std::string>(), json);
  WriteIds("gone", tells ? change.gone : std::vector<std::string>(), json);
  json.EndObject();
  events_.Publish("runs", json.Take());
  told_ = change.revision;
}

}  // namespace telltale
