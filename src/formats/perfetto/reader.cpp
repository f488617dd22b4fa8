// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "formats/event_text.h"
#include "formats/kineto_json/blocks.h"
#include "formats/kineto_json/event_parser.h"
#include "formats/kineto_json/fragment.h"
#include "formats/kineto_json/join.h"
#include "formats/kineto_json/metadata.h"
#include "formats/kineto_json/text.h"
#include "formats/kineto_json/writer.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/packets.h"
#include "formats/perfetto/sequence.h"
#include "formats/perfetto/slices.h"
#include "formats/perfetto/tracks.h"
#include "formats/perfetto/wire.h"

namespace telltale {

namespace perfetto {
namespace {

constexpr size_t kMaxPacketBytes = size_t{64} << 20;
constexpr size_t kEventsPerFragment = 4096;
constexpr int64_t kMaxTimeNs = (int64_t{1} << 62) - 1;  // as the JSON reader's

// The fields of a TrackEvent message, found but not interpreted.
struct EventFields {
  uint64_t type = event::kUnspecified;
  bool has_track = false;
  uint64_t track = 0;
  std::string_view legacy;
  bool has_legacy = false;
  std::string_view name;
  bool has_name = false;
  uint64_t name_iid = 0;
  bool has_counter = false;
  bool counter_is_double = false;
  int64_t counter = 0;
  double double_counter = 0;
  std::vector<uint64_t> category_iids;
  std::vector<std::string_view> categories;
  std::vector<std::string_view> annotations;
  std::vector<uint64_t> flows;
  std::vector<uint64_t> ending_flows;
  std::vector<uint64_t> extra_tracks;
  std::vector<int64_t> extra_values;
  std::vector<uint64_t> extra_double_tracks;
  std::vector<double> extra_double_values;
  bool has_delta_us = false;
  bool has_absolute_us = false;
  int64_t time_us = 0;

  // False if the message is damaged.
  bool Read(std::string_view message);
  void Clear();
};

void EventFields::Clear() {
  type = event::kUnspecified;
  has_track = has_legacy = has_name = has_counter = counter_is_double = false;
  has_delta_us = has_absolute_us = false;
  track = name_iid = 0;
  category_iids.clear();
  categories.clear();
  annotations.clear();
  flows.clear();
  ending_flows.clear();
  extra_tracks.clear();
  extra_values.clear();
  extra_double_tracks.clear();
  extra_double_values.clear();
}

bool EventFields::Read(std::string_view message) {
  Clear();
  MessageReader reader(message);
  while (reader.Next()) {
    const Field& f = reader.field();
    const auto numbers = [&](WireType wire, auto& list) {
      ForEachNumber(f, wire, [&](uint64_t n) {
        list.push_back(
            static_cast<typename std::remove_reference_t<decltype(list)>::value_type>(n));
      });
    };
    switch (f.number) {
      case event::kType:
        if (f.IsNumber()) type = f.value;
        break;
      case event::kTrackUuid:
        if (f.IsNumber()) track = f.value, has_track = true;
        break;
      case event::kNameIid:
        if (f.IsNumber()) name_iid = f.value;
        break;
      case event::kName:
        if (f.IsBytes()) name = f.bytes, has_name = true;
        break;
      case event::kCategoryIids:
        numbers(WireType::kVarint, category_iids);
        break;
      case event::kCategories:
        if (f.IsBytes()) categories.push_back(f.bytes);
        break;
      case event::kAnnotations:
        if (f.IsBytes()) annotations.push_back(f.bytes);
        break;
      case event::kFlowIds:
        numbers(WireType::kFixed64, flows);
        break;
      case event::kFlowIdsOld:
        numbers(WireType::kVarint, flows);
        break;
      case event::kTerminatingFlowIds:
        numbers(WireType::kFixed64, ending_flows);
        break;
      case event::kTerminatingFlowIdsOld:
        numbers(WireType::kVarint, ending_flows);
        break;
      case event::kCounterValue:
        if (f.IsNumber()) counter = f.Signed(), has_counter = true;
        break;
      case event::kDoubleCounterValue:
        if (f.IsNumber()) double_counter = f.Double(), has_counter = counter_is_double = true;
        break;
      case event::kExtraCounterTracks:
        numbers(WireType::kVarint, extra_tracks);
        break;
      case event::kExtraCounterValues:
        numbers(WireType::kVarint, extra_values);
        break;
      case event::kExtraDoubleCounterTracks:
        numbers(WireType::kVarint, extra_double_tracks);
        break;
      case event::kExtraDoubleCounterValues:
        ForEachNumber(f, WireType::kFixed64,
                      [&](uint64_t n) { extra_double_values.push_back(std::bit_cast<double>(n)); });
        break;
      case event::kLegacyEvent:
        if (f.IsBytes()) legacy = f.bytes, has_legacy = true;
        break;
      case event::kTimestampDeltaUs:
        if (f.IsNumber()) time_us = f.Signed(), has_delta_us = true;
        break;
      case event::kTimestampAbsoluteUs:
        if (f.IsNumber()) time_us = f.Signed(), has_absolute_us = true;
        break;
      default:
        break;
    }
  }
  return !reader.bad();
}

struct LegacyFields {
  uint64_t name_iid = 0;
  char phase = '\0';
  int64_t duration_us = 0;
  bool has_id = false;
  uint64_t id = 0;
  bool binds_to_enclosing = false;
  bool has_pid = false;
  bool has_tid = false;
  int64_t pid = 0;
  int64_t tid = 0;
  uint64_t scope = 0;

  explicit LegacyFields(std::string_view message) {
    for (MessageReader reader(message); reader.Next();) {
      const Field& f = reader.field();
      if (!f.IsNumber()) continue;
      switch (f.number) {
        case legacy::kNameIid:
          name_iid = f.value;
          break;
        case legacy::kPhase:
          if (f.value > 0x20 && f.value < 0x7f) phase = static_cast<char>(f.value);
          break;
        case legacy::kDurationUs:
          duration_us = f.Signed();
          break;
        case legacy::kUnscopedId:
        case legacy::kLocalId:
        case legacy::kGlobalId:
          id = f.value;
          has_id = true;
          break;
        case legacy::kBindId:
          if (!has_id) id = f.value;
          has_id = true;
          break;
        case legacy::kBindToEnclosing:
          binds_to_enclosing = f.value != 0;
          break;
        case legacy::kInstantScope:
          scope = f.value;
          break;
        case legacy::kPidOverride:
          pid = static_cast<int32_t>(f.value);
          has_pid = true;
          break;
        case legacy::kTidOverride:
          tid = f.Signed();
          has_tid = true;
          break;
        default:
          break;
      }
    }
  }
};

// Clocks of a trace: what must be added to a time of each to make it trace time.
class Clocks {
 public:
  void Read(std::string_view message, SequenceState& sequence) {
    struct Seen {
      uint64_t id = 0;
      uint64_t time = 0;
      uint64_t multiplier = 1;
      bool incremental = false;
    };
    std::vector<Seen> seen;
    for (MessageReader reader(message); reader.Next();) {
      const Field& f = reader.field();
      if (f.number == clocks::kPrimary && f.IsNumber() && !has_primary_) {
        primary_ = f.value;
        has_primary_ = true;
      }
      if (f.number != clocks::kClock || !f.IsBytes()) continue;
      Seen clock;
      for (MessageReader inner(f.bytes); inner.Next();) {
        const Field& g = inner.field();
        if (!g.IsNumber()) continue;
        if (g.number == clocks::kId) clock.id = g.value;
        if (g.number == clocks::kTimestamp) clock.time = g.value;
        if (g.number == clocks::kIsIncremental) clock.incremental = g.value != 0;
        if (g.number == clocks::kUnitMultiplierNs && g.value != 0) clock.multiplier = g.value;
      }
      seen.push_back(clock);
    }
    const auto primary = std::find_if(seen.begin(), seen.end(),
                                      [&](const Seen& clock) { return clock.id == primary_; });
    for (const Seen& clock : seen) {
      if (clock.incremental) sequence.incremental_clocks[clock.id] = clock.time;
      if (primary == seen.end()) continue;
      // A later snapshot of the same clock does not move what was read before.
      known_.try_emplace(clock.id,
                         Known{primary->time * primary->multiplier - clock.time * clock.multiplier,
                               clock.multiplier});
      if (clock.id == clocks::kRealtime && !realtime_offset_) {
        realtime_offset_ = static_cast<int64_t>(clock.time * clock.multiplier -
                                                primary->time * primary->multiplier);
      }
    }
  }

  [[nodiscard]] uint64_t ToTraceTime(uint64_t time, uint64_t clock, SequenceState& sequence) const {
    if (clock == 0) return time;
    const auto incremental = sequence.incremental_clocks.find(clock);
    if (incremental != sequence.incremental_clocks.end()) time = incremental->second += time;
    const auto known = known_.find(clock);
    if (known == known_.end()) return time;
    return time * known->second.multiplier + known->second.to_trace;
  }
  [[nodiscard]] std::optional<int64_t> realtime_offset() const { return realtime_offset_; }

 private:
  struct Known {
    uint64_t to_trace = 0;  // modulo 2^64
    uint64_t multiplier = 1;
  };
  uint64_t primary_ = clocks::kBoottime;
  bool has_primary_ = false;
  std::unordered_map<uint64_t, Known> known_;
  std::optional<int64_t> realtime_offset_;
};

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options, kineto_json::EventListener* listener)
      : source_(source), options_(options), listener_(listener), joiner_(1) {
    parser_.Tell(listener);
    parser_.Begin(fragment_);
  }

  Result<Trace> Run() {
    PacketStream packets(source_, joiner_.trace().diagnostics, MaxPacket());
    uint64_t count = 0;
    for (;;) {
      if ((count & 0xfff) == 0) {
        if (options_.canceled != nullptr && *options_.canceled) {
          return Fail(ErrorCode::kCanceled, "stopped");
        }
        if (options_.progress) options_.progress(source_.consumed_bytes());
      }
      const Result<std::optional<Packet>> packet = packets.Next();
      if (!packet) return tl::unexpected<Error>(packet.error());
      if (!*packet) break;
      ++count;
      ReadPacket((*packet)->bytes, (*packet)->offset, true);
    }
    Flush();
    if (count == 0) {
      return Fail(ErrorCode::kUnreadable,
                  "expected packets of a Perfetto trace, found none; record the trace again");
    }
    Trace trace = joiner_.Finish();
    trace.source.decoded_bytes = packets.bytes_read();
    Complete(trace);
    return trace;
  }

 private:
  struct FlowRow {
    uint64_t flow_id;
    uint32_t row;   // in flows
    uint32_t span;  // kNoRow: an instant
    bool ends;
  };

  [[nodiscard]] size_t MaxPacket() const {
    return options_.max_value_bytes != 0 ? options_.max_value_bytes : kMaxPacketBytes;
  }
  void Note(DiagnosticKind kind, uint64_t offset) { fragment_.diagnostics.Add(kind, offset); }

  void Flush() {
    parser_.End();
    joiner_.Learn(0, fragment_);
    joiner_.Append(0, fragment_);
    spans_before_ += fragment_.spans.size();
    flows_before_ += fragment_.flows.size();
    fragment_.Clear();
    parser_.Begin(fragment_);
  }

  SequenceState& Sequence(uint64_t id) {
    if (last_sequence_ != nullptr && last_sequence_id_ == id) return *last_sequence_;
    last_sequence_ = &sequences_[id];
    last_sequence_id_ = id;
    return *last_sequence_;
  }

  void ReadPacket(std::string_view bytes, uint64_t offset, bool outermost);
  void ReadCompressed(std::string_view bytes, uint64_t offset);
  void ReadInterned(std::string_view bytes, SequenceState& sequence);
  void ReadDefaults(std::string_view bytes, SequenceState& sequence);
  void ReadThreadDescriptor(std::string_view bytes, SequenceState& sequence, uint64_t offset);
  void ReadTrackEvent(std::string_view bytes, std::optional<uint64_t> timestamp,
                      SequenceState& sequence, uint64_t offset);
  void ReadMark(SequenceState& sequence);
  void ReadMetadata(SequenceState& sequence, uint64_t offset);
  void ReadRecord(int64_t time_ns, SequenceState& sequence, uint64_t offset);
  void NameTrack(const TrackState& track, uint64_t offset);
  void Complete(Trace& trace);
  void CompleteSlices(Trace& trace);
  void CompleteFlows(Trace& trace);

  // Building the text of one event.
  void Start(char phase);
  void AddField(std::string_view key, std::string_view json);
  void AddTime(int64_t time_ns);
  void AddPlace(const TrackState& track, const LegacyFields* legacy);
  void AddCategory(const SequenceState& sequence);
  void AddName(const SequenceState& sequence, uint64_t legacy_iid);
  void AddArguments(const SequenceState& sequence, bool instant);
  void Emit(uint64_t offset);
  void EmitCounter(TrackState& track, int64_t time_ns, std::optional<int64_t> integer, double value,
                   uint64_t offset);
  void EmitFlows(const TrackState& track, const LegacyFields* legacy, int64_t time_ns,
                 uint32_t span, uint64_t offset);

  ByteSource& source_;
  const ReadOptions& options_;
  kineto_json::EventListener* listener_;
  kineto_json::EventParser parser_;
  kineto_json::Fragment fragment_;
  kineto_json::Joiner joiner_;
  uint64_t spans_before_ = 0;  // rows already joined
  uint64_t flows_before_ = 0;

  std::unordered_map<uint64_t, SequenceState> sequences_;
  SequenceState* last_sequence_ = nullptr;
  uint64_t last_sequence_id_ = 0;
  TrackTable tracks_;
  Clocks clocks_;
  EventFields fields_;
  std::string text_;   // the event being built
  std::string extra_;  // its fields without a place of their own
  bool has_scope_ = false;

  // What our own writer said at the start.
  bool ours_ = false;
  uint64_t time_offset_ = 0;
  std::vector<std::string> flow_categories_;  // JSON
  std::vector<std::string> flow_names_;       // JSON
  std::vector<FlowRow> flow_rows_;
  std::multiset<std::pair<uint64_t, int64_t>> replaced_flows_;  // flow id, time
};

void Reader::ReadPacket(std::string_view bytes, uint64_t offset, bool outermost) {
  uint64_t sequence_id = 0;
  uint64_t flags = 0;
  uint64_t clock = 0;
  bool has_clock = false;
  bool cleared = false;
  std::optional<uint64_t> timestamp;
  std::string_view event;
  std::string_view interned_data;
  std::string_view descriptor;
  std::string_view defaults;
  std::string_view thread_descriptor;
  std::string_view process_descriptor;
  std::string_view snapshot;
  std::string_view compressed;
  bool has_event = false;
  MessageReader reader(bytes);
  while (reader.Next()) {
    const Field& f = reader.field();
    if (f.IsNumber()) {
      switch (f.number) {
        case packet::kTimestamp:
          timestamp = f.value;
          break;
        case packet::kSequenceId:
          sequence_id = f.value;
          break;
        case packet::kSequenceFlags:
          flags = f.value;
          break;
        case packet::kIncrementalStateCleared:
          cleared = f.value != 0;
          break;
        case packet::kTimestampClockId:
          clock = f.value;
          has_clock = true;
          break;
        default:
          break;
      }
      continue;
    }
    switch (f.number) {
      case packet::kTrackEvent:
        event = f.bytes;
        has_event = true;
        break;
      case packet::kInternedData:
        interned_data = f.bytes;
        break;
      case packet::kTrackDescriptor:
        descriptor = f.bytes;
        break;
      case packet::kDefaults:
        defaults = f.bytes;
        break;
      case packet::kThreadDescriptor:
        thread_descriptor = f.bytes;
        break;
      case packet::kProcessDescriptor:
        process_descriptor = f.bytes;
        break;
      case packet::kClockSnapshot:
        snapshot = f.bytes;
        break;
      case packet::kCompressedPackets:
        compressed = f.bytes;
        break;
      default:
        break;
    }
  }
  if (reader.bad()) Note(DiagnosticKind::kMalformedEvent, offset);
  if (!compressed.empty()) {
    if (!outermost) return Note(DiagnosticKind::kMalformedEvent, offset);
    return ReadCompressed(compressed, offset);
  }
  SequenceState& sequence = Sequence(sequence_id);
  if (cleared || (flags & packet::kFlagStateCleared) != 0) sequence.ClearIncrementalState();
  if (!interned_data.empty()) ReadInterned(interned_data, sequence);
  if (!defaults.empty()) ReadDefaults(defaults, sequence);
  if (!snapshot.empty()) clocks_.Read(snapshot, sequence);
  if (!process_descriptor.empty()) {
    // The old form, without a track.
    MessageWriter track;
    track.Uint(track::kUuid, 0x70726f63ULL << 32 | sequence_id);
    track.Bytes(track::kProcess, process_descriptor);
    if (const TrackState* state = tracks_.Describe(track.bytes())) NameTrack(*state, offset);
  }
  if (!thread_descriptor.empty()) ReadThreadDescriptor(thread_descriptor, sequence, offset);
  if (!descriptor.empty()) {
    if (const TrackState* track = tracks_.Describe(descriptor)) NameTrack(*track, offset);
  }
  if (!has_event) return;
  if (timestamp) {
    timestamp =
        clocks_.ToTraceTime(*timestamp, has_clock ? clock : sequence.default_clock, sequence);
  }
  ReadTrackEvent(event, timestamp, sequence, offset);
  if (fragment_.events >= kEventsPerFragment) Flush();
}

void Reader::ReadCompressed(std::string_view bytes, uint64_t offset) {
  const std::unique_ptr<ByteSource> inflated = OpenZlib(bytes);
  Diagnostics problems;
  PacketStream packets(*inflated, problems, MaxPacket(), offset);
  for (;;) {
    const Result<std::optional<Packet>> packet = packets.Next();
    if (!packet || !*packet) break;
    ReadPacket((*packet)->bytes, offset, false);
  }
  fragment_.diagnostics.Merge(problems);
  if (const auto problem = inflated->problem()) {
    fragment_.diagnostics.AddWithDetail(DiagnosticKind::kCorruptCompression, offset,
                                        problem->message);
  }
}

void Reader::ReadInterned(std::string_view bytes, SequenceState& sequence) {
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& f = reader.field();
    if (!f.IsBytes()) continue;
    if (f.number != interned::kCategories && f.number != interned::kEventNames &&
        f.number != interned::kAnnotationNames && f.number != interned::kAnnotationStrings) {
      continue;
    }
    uint64_t iid = 0;
    std::string_view text;
    for (MessageReader entry(f.bytes); entry.Next();) {
      const Field& g = entry.field();
      if (g.number == interned::kIid && g.IsNumber()) iid = g.value;
      if (g.number == interned::kText && g.IsBytes()) text = g.bytes;
    }
    std::string clean = CleanUtf8(text);
    switch (f.number) {
      case interned::kCategories: {
        const std::string quoted = Quoted(clean);
        sequence.categories.Set(iid, quoted.substr(1, quoted.size() - 2));
        break;
      }
      case interned::kEventNames:
        sequence.event_names.Set(iid, Quoted(clean));
        break;
      case interned::kAnnotationNames:
        sequence.annotation_names.Set(iid, std::move(clean));
        break;
      default:
        sequence.annotation_values.Set(iid, std::move(clean));
    }
  }
}

void Reader::ReadDefaults(std::string_view bytes, SequenceState& sequence) {
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& f = reader.field();
    if (f.number == defaults::kTimestampClockId && f.IsNumber()) sequence.default_clock = f.value;
    if (f.number != defaults::kTrackEvent || !f.IsBytes()) continue;
    sequence.extra_counters.clear();
    sequence.extra_double_counters.clear();
    for (MessageReader inner(f.bytes); inner.Next();) {
      const Field& g = inner.field();
      if (g.number == event::kTrackUuid && g.IsNumber()) sequence.default_track = g.value;
      if (g.number == event::kExtraCounterTracks) {
        ForEachNumber(g, WireType::kVarint,
                      [&](uint64_t uuid) { sequence.extra_counters.push_back(uuid); });
      }
      if (g.number == event::kExtraDoubleCounterTracks) {
        ForEachNumber(g, WireType::kVarint,
                      [&](uint64_t uuid) { sequence.extra_double_counters.push_back(uuid); });
      }
    }
  }
}

void Reader::ReadThreadDescriptor(std::string_view bytes, SequenceState& sequence,
                                  uint64_t offset) {
  int64_t pid = 0;
  int64_t tid = 0;
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& f = reader.field();
    if (!f.IsNumber()) continue;
    if (f.number == thread::kPid) pid = static_cast<int32_t>(f.value);
    if (f.number == thread::kTid) tid = f.Signed();
    if (f.number == thread::kReferenceTimestampUs) sequence.last_time_us = f.Signed();
  }
  TrackState& track = tracks_.OfThread(pid, tid);
  MessageWriter described;
  described.Uint(track::kUuid, track.uuid);
  described.Bytes(track::kThread, bytes);
  NameTrack(*tracks_.Describe(described.bytes()), offset);
  sequence.thread_track = track.uuid;
}

// The names of processes and threads, as metadata events.
void Reader::NameTrack(const TrackState& track, uint64_t offset) {
  if (track.is_counter) return;
  const auto mark = [&](std::string_view name, std::string_view key, std::string_view json) {
    text_ = "{\"ph\":\"M\",\"name\":\"";
    text_ += name;
    text_ += "\",\"pid\":";
    text_ += track.pid;
    text_ += ",\"tid\":";
    text_ += track.tid.empty() ? "0" : track.tid;
    text_ += ",\"args\":{\"";
    text_ += key;
    text_ += "\":";
    text_ += json;
    text_ += "}}";
    Emit(offset);
  };
  if (track.pid.empty()) return;
  if (!track.process_name.empty()) mark("process_name", "name", Quoted(track.process_name));
  if (!track.process_labels.empty()) mark("process_labels", "labels", Quoted(track.process_labels));
  if (!track.process_sort_index.empty()) {
    mark("process_sort_index", "sort_index", track.process_sort_index);
  }
  if (track.tid.empty()) return;
  if (!track.thread_name.empty()) mark("thread_name", "name", Quoted(track.thread_name));
  if (!track.thread_sort_index.empty()) {
    mark("thread_sort_index", "sort_index", track.thread_sort_index);
  }
}

void Reader::Start(char phase) {
  text_ = "{\"ph\":\"";
  text_ += phase;
  text_ += '"';
}

void Reader::AddField(std::string_view key, std::string_view json) {
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
  text_ += json;
}

void Reader::AddTime(int64_t time_ns) {
  text_ += ",\"ts\":";
  AppendMicroseconds(text_, time_ns);
}

void Reader::AddPlace(const TrackState& track, const LegacyFields* legacy) {
  text_ += ",\"pid\":";
  if (legacy != nullptr && legacy->has_pid) {
    text_ += std::to_string(legacy->pid);
  } else {
    text_ += track.shown_pid;
  }
  if (legacy != nullptr && legacy->has_tid) {
    text_ += ",\"tid\":" + std::to_string(legacy->tid);
  } else if (!track.shown_tid.empty()) {
    text_ += ",\"tid\":";
    text_ += track.shown_tid;
  }
}

void Reader::AddCategory(const SequenceState& sequence) {
  if (fields_.category_iids.empty() && fields_.categories.empty()) return;
  text_ += ",\"cat\":\"";
  bool first = true;
  for (const uint64_t iid : fields_.category_iids) {
    if (!first) text_ += ',';
    first = false;
    text_ += sequence.categories.Get(iid);
  }
  for (const std::string_view category : fields_.categories) {
    if (!first) text_ += ',';
    first = false;
    const std::string quoted = Quoted(CleanUtf8(category));
    text_.append(quoted, 1, quoted.size() - 2);
  }
  text_ += '"';
}

void Reader::AddName(const SequenceState& sequence, uint64_t legacy_iid) {
  if (fields_.has_name) return AddField("name", Quoted(CleanUtf8(fields_.name)));
  const uint64_t iid = fields_.name_iid != 0 ? fields_.name_iid : legacy_iid;
  if (iid == 0) return;
  const std::string_view name = sequence.event_names.Get(iid);
  if (name.data() != nullptr) AddField("name", name);
}

void Reader::AddArguments(const SequenceState& sequence, bool instant) {
  extra_.clear();
  has_scope_ = false;
  bool first = true;
  bool unknown = false;
  for (const std::string_view message : fields_.annotations) {
    // Our own: fields of the event that are no arguments.
    bool is_extra = false;
    if (ours_) {
      for (MessageReader reader(message); reader.Next();) {
        const Field& f = reader.field();
        if (f.number != annotation::kNameIid || !f.IsNumber()) break;
        is_extra = sequence.AnnotationName(f.value) == kExtraFields;
        break;
      }
    }
    if (is_extra) {
      for (MessageReader reader(message); reader.Next();) {
        const Field& f = reader.field();
        if (f.number != annotation::kDictEntries || !f.IsBytes()) continue;
        const size_t before = extra_.size();
        extra_ += ',';
        if (!AppendAnnotation(extra_, f.bytes, sequence, unknown)) extra_.resize(before);
        if (std::string_view(extra_).substr(before).starts_with(",\"s\":")) {
          has_scope_ = true;
          if (extra_.ends_with(":null")) extra_.resize(before);
        }
      }
      continue;
    }
    const size_t before = text_.size();
    text_ += first ? ",\"args\":{" : ",";
    if (AppendAnnotation(text_, message, sequence, unknown)) {
      first = false;
    } else {
      text_.resize(before);
    }
  }
  if (!first) text_ += '}';
  if (instant && !has_scope_) text_ += ",\"s\":\"t\"";
  text_ += extra_;
}

// Hands the text to the parser of JSON events, which makes rows of it.
void Reader::Emit(uint64_t offset) {
  const size_t size = text_.size();
  text_.append(kineto_json::kPadding, kineto_json::kPad);
  const char* p = text_.data();
  if (parser_.Parse(p, p + size, offset, true) != kineto_json::ParseStatus::kDone) {
    Note(DiagnosticKind::kMalformedEvent, offset);
  }
}

void Reader::EmitCounter(TrackState& track, int64_t time_ns, std::optional<int64_t> integer,
                         double value, uint64_t offset) {
  const bool exact = integer.has_value() && track.unit_multiplier == 1;
  int64_t whole = integer.value_or(0);
  if (!exact) {
    if (integer) value = static_cast<double>(whole);
    value *= static_cast<double>(track.unit_multiplier);
  }
  if (track.is_incremental) {
    if (exact) {
      track.last_integer = static_cast<int64_t>(static_cast<uint64_t>(track.last_integer) +
                                                static_cast<uint64_t>(whole));
      whole = track.last_integer;
    } else {
      value = track.last_value += value;
    }
  }
  tracks_.Resolve(track);
  Start('C');
  // Categories of the event were added by the caller's fields.
  const std::string& name = track.counter_name.empty() ? track.name : track.counter_name;
  AddField("name", Quoted(name));
  AddPlace(track, nullptr);
  AddTime(time_ns);
  if (last_sequence_ != nullptr) AddCategory(*last_sequence_);
  text_ += ",\"args\":{";
  AppendQuoted(text_, track.series);
  text_ += ':';
  if (exact) {
    text_ += std::to_string(whole);
  } else {
    AppendDouble(text_, value);
  }
  text_ += "}}";
  Emit(offset);
}

// Flows become events of their own, as in JSON.
void Reader::EmitFlows(const TrackState& track, const LegacyFields* legacy, int64_t time_ns,
                       uint32_t span, uint64_t offset) {
  const auto emit = [&](uint64_t flow_id, bool ends) {
    Start(ends ? 'f' : 's');
    const uint64_t kind = flow_id >> kFlowIdBits;
    const bool known = ours_ && kind >= 1 && kind <= flow_categories_.size();
    AddField("cat", known ? std::string_view(flow_categories_[kind - 1]) : "\"flow\"");
    AddField("name", known ? std::string_view(flow_names_[kind - 1]) : "\"flow\"");
    AddPlace(track, legacy);
    const uint64_t id = known ? flow_id & ((uint64_t{1} << kFlowIdBits) - 1) : flow_id;
    AddField("id", std::to_string(id));
    AddTime(time_ns);
    if (ends) AddField("bp", "\"e\"");
    text_ += '}';
    const auto row = static_cast<uint32_t>(flows_before_ + fragment_.flows.size());
    Emit(offset);
    if (flows_before_ + fragment_.flows.size() > row) {
      flow_rows_.push_back({flow_id, row, span, ends});
    }
  };
  for (const uint64_t id : fields_.flows) emit(id, false);
  for (const uint64_t id : fields_.ending_flows) emit(id, true);
}

// The first event of a file that Telltale wrote.
void Reader::ReadMark(SequenceState& sequence) {
  std::string text = "{";
  bool unknown = false;
  for (const std::string_view message : fields_.annotations) {
    if (text.size() > 1) text += ',';
    if (!AppendAnnotation(text, message, sequence, unknown)) return;
  }
  text += '}';
  const size_t size = text.size();
  text.append(kineto_json::kPadding, kineto_json::kPad);
  EventText fields;
  if (!fields.Parse(std::string_view(text).substr(0, size))) return;
  for (const JsonField& field : fields.fields()) {
    if (field.key == kMarkVersion) ours_ = field.json == "1";
    if (field.key == kMarkTimeOffset) {
      int64_t offset = 0;
      std::from_chars(field.json.data(), field.json.data() + field.json.size(), offset);
      time_offset_ = static_cast<uint64_t>(offset);
    }
    if (field.key == kMarkFlows && field.json.starts_with("[\"")) {
      // A list of strings: cut at the quotes that are not escaped.
      for (size_t i = 1; i + 1 < field.json.size(); ++i) {
        const size_t begin = i;
        for (++i; i < field.json.size() && field.json[i] != '"'; ++i) {
          if (field.json[i] == '\\') ++i;
        }
        const std::string_view category = field.json.substr(begin, i - begin + 1);
        flow_categories_.emplace_back(category);
        flow_names_.push_back(Quoted(FlowName(Unquoted(category))));
        ++i;  // the comma
      }
    }
  }
}

void Reader::ReadMetadata(SequenceState& sequence, uint64_t offset) {
  bool unknown = false;
  for (const std::string_view message : fields_.annotations) {
    std::string text;
    if (!AppendAnnotation(text, message, sequence, unknown)) continue;
    text += '}';  // a number is known to be whole by what follows it
    const size_t size = text.size();
    text.append(kineto_json::kPadding, kineto_json::kPad);
    using namespace kineto_json;
    Repairs repairs;
    repairs.at_eof = true;
    Value key;
    Value value;
    const char* const end = text.data() + size;
    const char* p = ReadString<false>(text.data(), end, Place::kKey, key, repairs);
    if (p == nullptr) continue;
    if (ReadValue<false>(p + 1, end, value, repairs) == nullptr) continue;
    const std::string name = Unescape(key.text()).text;
    if (!StoreMetadata(name, value, joiner_.trace())) {
      Note(DiagnosticKind::kMalformedMetadata, offset);
    }
    if (listener_ != nullptr) listener_->OnMetadata(name, value);
  }
}

void Reader::ReadRecord(int64_t time_ns, SequenceState& sequence, uint64_t offset) {
  text_ = "{";
  bool unknown = false;
  bool has_time = true;
  for (const std::string_view message : fields_.annotations) {
    const size_t before = text_.size();
    if (before > 1) text_ += ',';
    const size_t begin = text_.size();
    if (!AppendAnnotation(text_, message, sequence, unknown)) {
      text_.resize(before);
      continue;
    }
    const std::string_view added = std::string_view(text_).substr(begin);
    if (added.starts_with("\"flow_id\":")) {
      uint64_t id = 0;
      std::from_chars(added.data() + 10, added.data() + added.size(), id);
      replaced_flows_.insert({id, time_ns});
      text_.resize(before);
    } else if (added == "\"ts\":null") {
      has_time = false;
      text_.resize(before);
    }
  }
  if (has_time) {
    text_ += text_.size() > 1 ? ",\"ts\":" : "\"ts\":";
    AppendMicroseconds(text_, time_ns);
  }
  text_ += '}';
  Emit(offset);
}

void Reader::ReadTrackEvent(std::string_view bytes, std::optional<uint64_t> timestamp,
                            SequenceState& sequence, uint64_t offset) {
  if (!fields_.Read(bytes)) return Note(DiagnosticKind::kMalformedEvent, offset);
  if (!timestamp && (fields_.has_absolute_us || fields_.has_delta_us)) {
    sequence.last_time_us =
        fields_.has_absolute_us
            ? fields_.time_us
            : static_cast<int64_t>(static_cast<uint64_t>(sequence.last_time_us) +
                                   static_cast<uint64_t>(fields_.time_us));
    timestamp = static_cast<uint64_t>(sequence.last_time_us) * 1000;
  }
  if (!timestamp) return Note(DiagnosticKind::kMissingTime, offset);
  auto time_ns = static_cast<int64_t>(*timestamp - time_offset_);
  if (time_ns > kMaxTimeNs || time_ns < -kMaxTimeNs) {
    return Note(DiagnosticKind::kNumberOutOfRange, offset);
  }
  if (fields_.type == event::kInstant && fields_.category_iids.size() == 1) {
    const std::string_view category = sequence.categories.Get(fields_.category_iids[0]);
    if (category == kMarkCategory) return ReadMark(sequence);
    if (category == kMetadataCategory && ours_) return ReadMetadata(sequence, offset);
    if (category == kRecordCategory && ours_) return ReadRecord(time_ns, sequence, offset);
  }
  std::optional<LegacyFields> legacy;
  if (fields_.has_legacy) legacy.emplace(fields_.legacy);
  const LegacyFields* legacy_fields = legacy ? &*legacy : nullptr;

  const uint64_t uuid = fields_.has_track             ? fields_.track
                        : sequence.default_track != 0 ? sequence.default_track
                                                      : sequence.thread_track;
  TrackState& track = tracks_.Get(uuid);
  tracks_.Resolve(track);

  const auto extra_counters = [&] {
    const auto& integers =
        fields_.extra_tracks.empty() ? sequence.extra_counters : fields_.extra_tracks;
    for (size_t i = 0; i < std::min(integers.size(), fields_.extra_values.size()); ++i) {
      EmitCounter(tracks_.Get(integers[i]), time_ns, fields_.extra_values[i], 0, offset);
    }
    const auto& doubles = fields_.extra_double_tracks.empty() ? sequence.extra_double_counters
                                                              : fields_.extra_double_tracks;
    for (size_t i = 0; i < std::min(doubles.size(), fields_.extra_double_values.size()); ++i) {
      EmitCounter(tracks_.Get(doubles[i]), time_ns, std::nullopt, fields_.extra_double_values[i],
                  offset);
    }
  };

  const char phase = [&] {
    switch (fields_.type) {
      case event::kSliceBegin:
        return 'B';
      case event::kSliceEnd:
        return 'E';
      case event::kInstant:
        return 'i';
      case event::kCounter:
        return 'C';
      default:
        return legacy ? legacy->phase : '\0';
    }
  }();
  switch (phase) {
    case 'E':
      track.slices.push_back({time_ns, SliceMark::kEnd});
      ++fragment_.events;
      return extra_counters();
    case 'C':
      if (fields_.type == event::kCounter) {
        if (!fields_.has_counter) return Note(DiagnosticKind::kMissingTime, offset);
        EmitCounter(track, time_ns,
                    fields_.counter_is_double ? std::nullopt : std::optional(fields_.counter),
                    fields_.double_counter, offset);
        return extra_counters();
      }
      break;
    case '\0':
      return Note(DiagnosticKind::kUnknownPhase, offset);
    default:
      break;
  }
  const bool is_slice = phase == 'B' || phase == 'X';
  Start(is_slice ? 'X' : phase);
  AddCategory(sequence);
  AddName(sequence, legacy ? legacy->name_iid : 0);
  AddPlace(track, legacy_fields);
  AddTime(time_ns);
  if (is_slice) {
    text_ += ",\"dur\":";
    // Ends come later; see CompleteSlices.
    AppendMicroseconds(text_, phase == 'X' && legacy && legacy->duration_us > 0 &&
                                      legacy->duration_us < kMaxTimeNs / 1000
                                  ? legacy->duration_us * 1000
                                  : 0);
  }
  if (legacy && legacy->has_id && !is_slice) AddField("id", std::to_string(legacy->id));
  if (legacy && legacy->binds_to_enclosing && phase == 'f') AddField("bp", "\"e\"");
  AddArguments(sequence, phase == 'i' || phase == 'I');
  text_ += '}';
  const auto row = static_cast<uint32_t>(spans_before_ + fragment_.spans.size());
  Emit(offset);
  const bool has_row = spans_before_ + fragment_.spans.size() > row;
  if (has_row && phase == 'B') track.slices.push_back({time_ns, row});
  EmitFlows(track, legacy_fields, time_ns, has_row ? row : kNoRow, offset);
  extra_counters();
}

void Reader::CompleteSlices(Trace& trace) {
  PairedSlices paired;
  for (auto& [uuid, track] : tracks_.all()) PairSlices(track.slices, paired);
  for (const SliceEnd& end : paired.ends) {
    constexpr int64_t kMaxDurationNs = int64_t{1} << 53;  // as the JSON reader's
    const int64_t duration = end.end_ns - trace.spans.start_ns[end.row];
    if (duration > kMaxDurationNs) {
      trace.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, trace.spans.offset[end.row]);
    } else {
      trace.spans.duration_ns[end.row] = duration;
    }
  }
  std::sort(paired.never_ended.begin(), paired.never_ended.end());
  for (const uint32_t row : paired.never_ended) {
    trace.spans.category[row] = Category::kUnmatched;
    trace.spans.detail[row] = kNoDetail;
    trace.diagnostics.Add(DiagnosticKind::kUnmatchedBegin, trace.spans.offset[row]);
  }
  if (paired.never_begun > 0) {
    trace.diagnostics.Add(DiagnosticKind::kUnmatchedEnd, std::nullopt, paired.never_begun);
  }
}

void Reader::CompleteFlows(Trace& trace) {
  FlowTable& flows = trace.flows;
  if (!ours_) {
    // Perfetto's arrows go from slice to slice in order of time, until one says that it is the
    // last.
    std::sort(flow_rows_.begin(), flow_rows_.end(), [&](const FlowRow& a, const FlowRow& b) {
      if (a.flow_id != b.flow_id) return a.flow_id < b.flow_id;
      if (flows.time_ns[a.row] != flows.time_ns[b.row]) {
        return flows.time_ns[a.row] < flows.time_ns[b.row];
      }
      return a.row < b.row;
    });
    CategoryId launch{0};
    bool has_launch = false;
    const auto launch_category = [&] {
      if (has_launch) return launch;
      has_launch = true;
      for (size_t i = 0; i < trace.categories.size(); ++i) {
        if (trace.Text(trace.categories[i].text) == "ac2g") {
          return launch = CategoryId{static_cast<uint16_t>(i)};
        }
      }
      trace.categories.push_back({trace.strings.Intern("ac2g"), Category::kOther});
      return launch = CategoryId{static_cast<uint16_t>(trace.categories.size() - 1)};
    };
    for (size_t i = 0; i < flow_rows_.size();) {
      size_t end = i + 1;
      while (end < flow_rows_.size() && flow_rows_[end].flow_id == flow_rows_[i].flow_id &&
             !flow_rows_[end - 1].ends) {
        ++end;
      }
      bool from_host = false;
      bool to_device = false;
      for (size_t j = i; j < end; ++j) {
        const FlowRow& flow = flow_rows_[j];
        flows.phase[flow.row] = flow.ends || (j + 1 == end && end - i > 1) ? FlowPhase::kEnd
                                : j == i                                   ? FlowPhase::kStart
                                                                           : FlowPhase::kStep;
        if (flow.span == kNoRow) continue;
        from_host |= IsHost(trace.spans.category[flow.span]);
        to_device |= IsDevice(trace.spans.category[flow.span]);
      }
      if (from_host && to_device && trace.categories.size() < UINT16_MAX) {
        for (size_t j = i; j < end; ++j) flows.category_id[flow_rows_[j].row] = launch_category();
      }
      i = end;
    }
    return;
  }
  if (replaced_flows_.empty()) return;
  // A record says more than the slice's own flow id: that one goes.
  std::vector<bool> gone(flows.size());
  for (const FlowRow& flow : flow_rows_) {
    const auto found = replaced_flows_.find({flow.flow_id, flows.time_ns[flow.row]});
    if (found == replaced_flows_.end()) continue;
    replaced_flows_.erase(found);
    gone[flow.row] = true;
  }
  size_t kept = 0;
  for (size_t row = 0; row < flows.size(); ++row) {
    if (gone[row]) continue;
    flows.time_ns[kept] = flows.time_ns[row];
    flows.id[kept] = flows.id[row];
    flows.track[kept] = flows.track[row];
    flows.category_id[kept] = flows.category_id[row];
    flows.phase[kept] = flows.phase[row];
    flows.offset[kept] = flows.offset[row];
    ++kept;
  }
  trace.source.events -= flows.size() - kept;
  flows.time_ns.resize(kept);
  flows.id.resize(kept);
  flows.track.resize(kept);
  flows.category_id.resize(kept);
  flows.phase.resize(kept);
  flows.offset.resize(kept);
}

void Reader::Complete(Trace& trace) {
  CompleteSlices(trace);
  CompleteFlows(trace);
  if (!ours_ && clocks_.realtime_offset() && *clocks_.realtime_offset() > 0) {
    trace.base_time_ns = *clocks_.realtime_offset();
  }
}

}  // namespace
}  // namespace perfetto

bool IsPerfettoTrace(std::string_view head) {
  using namespace perfetto;
  // A line feed and a brace begin JSON, and would begin a packet of 123 bytes.
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && head[first] == '{') {
    const size_t next = head.find_first_not_of(" \t\r\n", first + 1);
    if (next == std::string_view::npos || head[next] == '"' || head[next] == '}') return false;
  }
  // Packets are looked at until one has a field that shows what it is.
  std::string_view rest = head;
  for (int packets = 0; packets < 64 && !rest.empty(); ++packets) {
    if (rest.front() != '\x0a') return false;
    uint64_t size = 0;
    const int length = ReadVarint(rest.substr(1), size);
    if (length <= 0) return false;
    rest.remove_prefix(1 + static_cast<size_t>(length));
    const std::string_view message = rest.substr(0, std::min<uint64_t>(size, rest.size()));
    const bool whole = message.size() == size;
    bool shown = false;
    MessageReader reader(message);
    while (reader.Next()) {
      const Field& f = reader.field();
      // ftrace events, process tree …: never numbers here, while pprof's value types are.
      if (f.number <= 7 && f.IsNumber()) return false;
      switch (f.number) {
        case packet::kTimestamp:
        case packet::kSequenceId:
        case packet::kSequenceFlags:
        case packet::kIncrementalStateCleared:
        case packet::kTimestampClockId:
          if (f.IsBytes()) return false;
          shown = true;
          break;
        case packet::kTrackEvent:
        case packet::kInternedData:
        case packet::kTrackDescriptor:
        case packet::kClockSnapshot:
        case packet::kDefaults: {
          if (f.IsNumber()) return false;
          MessageReader inner(f.bytes);
          while (inner.Next()) {
          }
          if (inner.bad()) return false;
          shown = true;
          break;
        }
        case packet::kCompressedPackets:
          if (!f.IsBytes() || !f.bytes.starts_with('\x78')) return false;
          shown = true;
          break;
        default:
          break;
      }
    }
    if (whole && reader.bad()) return false;
    if (shown || !whole) return shown;
    rest.remove_prefix(message.size());
  }
  return false;
}

Result<Trace> ReadPerfetto(ByteSource& source, const ReadOptions& options) {
  Result<Trace> trace = perfetto::Reader(source, options, nullptr).Run();
  if (!trace) return trace;
  trace->source.format = "perfetto";
  trace->source.compression = source.compression();
  trace->source.bytes = source.consumed_bytes();
  if (const auto problem = source.problem()) {
    trace->diagnostics.AddWithDetail(DiagnosticKind::kCorruptCompression, problem->offset,
                                     problem->message);
  }
  return trace;
}

Result<void> ReadPerfettoEvents(ByteSource& source, const ReadOptions& options,
                                kineto_json::EventListener& listener) {
  const Result<Trace> trace = perfetto::Reader(source, options, &listener).Run();
  if (!trace) return tl::unexpected<Error>(trace.error());
  return {};
}

}  // namespace telltale
