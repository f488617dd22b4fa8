// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/tracks.h"

#include <cstring>

#include "base/json/text.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/event_text.h"
#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

namespace {

// Far more than any real hierarchy; parents may form a circle.
constexpr int kMaxParents = 32;

// int32 fields are written as 64 bits when negative.
int64_t Int32Of(const Field& field) { return static_cast<int32_t>(field.value); }

void ReadProcess(std::string_view message, TrackState& track) {
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    if (f.number == process::kPid && f.IsNumber()) track.pid = std::to_string(Int32Of(f));
    if (f.number == process::kName && f.IsBytes()) track.process_name = RepairUtf8(f.bytes);
    if (f.number == process::kSortIndex && f.IsNumber()) {
      track.process_sort_index = std::to_string(Int32Of(f));
    }
    if (f.number == process::kLabels && f.IsBytes()) {
      if (!track.process_labels.empty()) track.process_labels += ", ";
      track.process_labels += RepairUtf8(f.bytes);
    }
  }
}

void ReadThread(std::string_view message, TrackState& track) {
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    if (f.number == thread::kPid && f.IsNumber()) track.pid = std::to_string(Int32Of(f));
    if (f.number == thread::kTid && f.IsNumber()) track.tid = std::to_string(f.Signed());
    if (f.number == thread::kName && f.IsBytes()) track.thread_name = RepairUtf8(f.bytes);
    if (f.number == thread::kSortIndex && f.IsNumber()) {
      track.thread_sort_index = std::to_string(Int32Of(f));
    }
  }
}

void ReadCounter(std::string_view message, TrackState& track) {
  track.is_counter = true;
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    if (f.number == counter::kUnitMultiplier && f.IsNumber()) track.unit_multiplier = f.Signed();
    if (f.number == counter::kIsIncremental && f.IsNumber()) track.is_incremental = f.value != 0;
  }
}

// What our own writer notes of a track's identity: an object of strings and numbers.
void ReadIdentity(std::string_view description, TrackState& track) {
  if (!description.starts_with("{\"pid\":")) return;
  std::string padded(description);
  const size_t size = padded.size();
  padded.append(kineto_json::kPadding, kineto_json::kPad);
  EventText fields;
  if (!fields.Parse(std::string_view(padded).substr(0, size))) return;
  for (const JsonField& field : fields.fields()) {
    const std::string json(field.json);
    const bool simple = json.front() == '"' || IsJsonNumber(json);
    if (!simple) continue;
    if (field.key == "pid") track.pid = json;
    if (field.key == "tid") track.tid = json;
    if (field.key == "process_name") track.process_name = Unquoted(json);
    if (field.key == "process_labels") track.process_labels = Unquoted(json);
    if (field.key == "thread_name") track.thread_name = Unquoted(json);
    if (field.key == "process_sort_index") track.process_sort_index = json;
    if (field.key == "thread_sort_index") track.thread_sort_index = json;
    if (field.key == "counter") track.counter_name = Unquoted(json);
    if (field.key == "series") track.series = Unquoted(json);
  }
}

}  // namespace

TrackState& TrackTable::Get(uint64_t uuid) {
  TrackState& track = tracks_[uuid];
  track.uuid = uuid;
  return track;
}

TrackState* TrackTable::Describe(std::string_view message) {
  uint64_t uuid = 0;
  bool has_uuid = false;
  for (MessageReader reader(message); reader.Next();) {
    if (reader.field().number == track::kUuid && reader.field().IsNumber()) {
      uuid = reader.field().value;
      has_uuid = true;
    }
  }
  if (!has_uuid) return nullptr;
  TrackState& state = Get(uuid);
  state.described = true;
  state.process_labels.clear();
  state.shown_pid.clear();
  state.shown_tid.clear();
  std::string_view description;
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    switch (f.number) {
      case track::kParentUuid:
        if (f.IsNumber()) state.parent = f.value;
        break;
      case track::kName:
      case track::kStaticName:
      case track::kAtraceName:
        if (f.IsBytes()) state.name = RepairUtf8(f.bytes);
        break;
      case track::kProcess:
        if (f.IsBytes()) ReadProcess(f.bytes, state);
        break;
      case track::kThread:
        if (f.IsBytes()) ReadThread(f.bytes, state);
        break;
      case track::kCounter:
        if (f.IsBytes()) ReadCounter(f.bytes, state);
        break;
      case track::kDescription:
        if (f.IsBytes()) description = f.bytes;
        break;
      default:
        break;
    }
  }
  ReadIdentity(description, state);
  return &state;
}

TrackState& TrackTable::OfThread(int64_t pid, int64_t tid) {
  // Numbers of other tracks are random or small: a mix of both ids collides with none in practice.
  const uint64_t uuid = (static_cast<uint64_t>(pid) * 0x9e3779b97f4a7c15ULL) ^
                        (static_cast<uint64_t>(tid) * 0xff51afd7ed558ccdULL) ^
                        0x74656c6c74616c65ULL;
  TrackState& track = Get(uuid);
  if (track.pid.empty()) {
    track.pid = std::to_string(pid);
    track.tid = std::to_string(tid);
  }
  return track;
}

void TrackTable::Resolve(TrackState& track) {
  if (!track.shown_pid.empty()) return;
  std::string pid = track.pid;
  std::string tid = track.tid;
  std::string root_name = track.name;
  uint64_t parent = track.parent;
  for (int i = 0; i < kMaxParents && parent != 0; ++i) {
    const auto found = tracks_.find(parent);
    if (found == tracks_.end()) break;
    const TrackState& above = found->second;
    if (pid.empty()) pid = above.pid;
    // Counters belong to a process unless they say otherwise; a named track is one of its own.
    if (tid.empty() && track.name.empty() && !track.is_counter) tid = above.tid;
    if (!above.name.empty()) root_name = above.name;
    parent = above.parent;
  }
  if (tid.empty() && !track.is_counter) {
    if (!track.name.empty()) {
      tid = Quoted(track.name);
    } else if (track.uuid != 0 && track.pid.empty()) {
      tid = Quoted("track " + std::to_string(track.uuid));
    } else {
      tid = track.pid.empty() ? "0" : track.pid;  // the process itself: its main thread
    }
  }
  track.shown_pid = pid.empty() ? Quoted(root_name) : pid;
  // Counters of a process are written without a thread.
  if (!track.is_counter || tid != "\"\"") track.shown_tid = tid;
}

}  // namespace telltale::perfetto
