// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/track_events.h"

#include <algorithm>

#include "base/json/text.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/memory_meter.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

namespace {

constexpr int64_t kMaxTimeNs = (int64_t{1} << 62) - 1;  // as the JSON reader's

}  // namespace

void TrackEvents::Describe(std::string_view track_descriptor, uint64_t offset) {
  if (const TrackState* track = tracks_.Describe(track_descriptor)) NameTrack(*track, offset);
}

void TrackEvents::DescribeProcess(std::string_view process_descriptor, uint64_t sequence_id,
                                  uint64_t offset) {
  MessageWriter track;
  track.Uint(track::kUuid, 0x70726f63ULL << 32 | sequence_id);
  track.Bytes(track::kProcess, process_descriptor);
  Describe(track.bytes(), offset);
}

void TrackEvents::DescribeThread(std::string_view thread_descriptor, SequenceState& sequence,
                                 uint64_t offset) {
  int64_t pid = 0;
  int64_t tid = 0;
  for (MessageReader reader(thread_descriptor); reader.Next();) {
    const Field& f = reader.field();
    if (!f.IsNumber()) continue;
    if (f.number == thread::kPid) pid = static_cast<int32_t>(f.value);
    if (f.number == thread::kTid) tid = f.Signed();
    if (f.number == thread::kReferenceTimestampUs) sequence.last_time_us = f.Signed();
  }
  const uint64_t uuid = tracks_.OfThread(pid, tid).uuid;
  MessageWriter track;
  track.Uint(track::kUuid, uuid);
  track.Bytes(track::kThread, thread_descriptor);
  Describe(track.bytes(), offset);
  sequence.thread_track = uuid;
}

size_t TrackEvents::memory_bytes() const {
  // Of a mark, one copy more while beginnings and ends are paired.
  return MemoryOfNodes(tracks_.all()) + marks_ * 2 * sizeof(SliceMark) +
         flow_rows_.capacity() * sizeof(FlowRow) + MemoryOfNodes(replaced_flows_);
}

// The names of processes and threads, as metadata events.
void TrackEvents::NameTrack(const TrackState& track, uint64_t offset) {
  if (track.is_counter) return;
  using What = NameMark::What;
  const auto mark = [&](What what, const std::string& json) {
    if (!json.empty()) out_.Mark(what, track, json, offset);
  };
  const auto mark_text = [&](What what, const std::string& text) {
    if (!text.empty()) out_.Mark(what, track, Quoted(text), offset);
  };
  if (track.pid.empty()) return;
  mark_text(What::kProcessName, track.process_name);
  mark_text(What::kProcessLabels, track.process_labels);
  mark(What::kProcessSort, track.process_sort_index);
  if (track.tid.empty()) return;
  mark_text(What::kThreadName, track.thread_name);
  mark(What::kThreadSort, track.thread_sort_index);
}

void TrackEvents::AddPlace(const TrackState& track, const LegacyFields* legacy) {
  if (legacy != nullptr && legacy->has_pid) {
    out_.Integer(EventKey::kPid, legacy->pid);
  } else {
    out_.Json(EventKey::kPid, track.shown_pid);
  }
  if (legacy != nullptr && legacy->has_tid) {
    out_.Integer(EventKey::kTid, legacy->tid);
  } else if (!track.shown_tid.empty()) {
    out_.Json(EventKey::kTid, track.shown_tid);
  }
}

void TrackEvents::AddCategory(const SequenceState& sequence) {
  if (fields_.category_iids.empty() && fields_.categories.empty()) return;
  if (fields_.category_iids.size() == 1 && fields_.categories.empty()) {
    const JsonText* text = sequence.categories.Find(fields_.category_iids[0]);
    return text != nullptr ? out_.Text(EventKey::kCat, *text) : out_.Text(EventKey::kCat, "\"\"");
  }
  std::string json;
  char before = '"';
  for (const uint64_t iid : fields_.category_iids) {
    json += before;
    before = ',';
    const JsonText* text = sequence.categories.Find(iid);
    if (text != nullptr) json.append(text->json, 1, text->json.size() - 2);
  }
  for (const std::string_view category : fields_.categories) {
    json += before;
    before = ',';
    const std::string quoted = Quoted(RepairUtf8(category));
    json.append(quoted, 1, quoted.size() - 2);
  }
  json += '"';
  out_.Text(EventKey::kCat, json);
}

void TrackEvents::AddName(const SequenceState& sequence, uint64_t legacy_iid) {
  if (fields_.has_name) return out_.Text(EventKey::kName, Quoted(RepairUtf8(fields_.name)));
  const uint64_t iid = fields_.name_iid != 0 ? fields_.name_iid : legacy_iid;
  if (iid == 0) return;
  if (const JsonText* name = sequence.event_names.Find(iid)) out_.Text(EventKey::kName, *name);
}

void TrackEvents::AddArguments(const SequenceState& sequence, bool instant) {
  const auto is_extra = [&](std::string_view message) { return IsExtra(message, sequence); };
  for (const std::string_view message : fields_.annotations) {
    if (!is_extra(message)) out_.Argument(message, sequence.annotations);
  }
  out_.EndArguments();
  bool has_scope = false;
  for (const std::string_view message : fields_.annotations) {
    if (is_extra(message)) has_scope |= AddExtra(message, sequence);
  }
  if (instant && !has_scope) out_.Other("s", "\"t\"");
}

void TrackEvents::EmitCounter(TrackState& track, int64_t time_ns, std::optional<int64_t> integer,
                              double value, const SequenceState& sequence, uint64_t offset) {
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
  out_.Start('C');
  out_.Text(EventKey::kName, Quoted(track.counter_name.empty() ? track.name : track.counter_name));
  AddPlace(track, nullptr);
  out_.Time(EventKey::kTs, time_ns);
  AddCategory(sequence);
  if (exact) {
    out_.Series(track.series, whole);
  } else {
    out_.Series(track.series, value);
  }
  out_.Finish(offset);
}

void TrackEvents::EmitExtraCounters(int64_t time_ns, const SequenceState& sequence,
                                    uint64_t offset) {
  const auto& integers =
      fields_.extra_tracks.empty() ? sequence.extra_counters : fields_.extra_tracks;
  for (size_t i = 0; i < std::min(integers.size(), fields_.extra_values.size()); ++i) {
    EmitCounter(tracks_.Get(integers[i]), time_ns, fields_.extra_values[i], 0, sequence, offset);
  }
  const auto& doubles = fields_.extra_double_tracks.empty() ? sequence.extra_double_counters
                                                            : fields_.extra_double_tracks;
  for (size_t i = 0; i < std::min(doubles.size(), fields_.extra_double_values.size()); ++i) {
    EmitCounter(tracks_.Get(doubles[i]), time_ns, std::nullopt, fields_.extra_double_values[i],
                sequence, offset);
  }
}

// Flows become events of their own, as in JSON.
void TrackEvents::EmitFlows(const TrackState& track, const LegacyFields* legacy, int64_t time_ns,
                            uint32_t span, uint64_t offset) {
  const auto emit = [&](uint64_t flow_id, bool ends) {
    const uint64_t kind = flow_id >> kFlowIdBits;
    const bool known = ours_ && kind >= 1 && kind <= flow_kinds_.size();
    out_.Start(ends ? 'f' : 's');
    out_.Text(EventKey::kCat, known ? flow_kinds_[kind - 1].category : unknown_flow_);
    out_.Text(EventKey::kName, known ? flow_kinds_[kind - 1].name : unknown_flow_);
    AddPlace(track, legacy);
    out_.Unsigned(EventKey::kId, known ? flow_id & ((uint64_t{1} << kFlowIdBits) - 1) : flow_id);
    out_.Time(EventKey::kTs, time_ns);
    if (ends) out_.Other("bp", "\"e\"");
    const auto row = static_cast<uint32_t>(rows_.flows());
    out_.Finish(offset);
    if (rows_.flows() > row) flow_rows_.push_back({flow_id, row, span, ends});
  };
  for (const uint64_t id : fields_.flows) emit(id, false);
  for (const uint64_t id : fields_.ending_flows) emit(id, true);
}

void TrackEvents::EmitEvent(char phase, TrackState& track, const LegacyFields* legacy,
                            int64_t time_ns, const SequenceState& sequence, uint64_t offset) {
  const bool is_slice = phase == 'B' || phase == 'X';
  out_.Start(is_slice ? 'X' : phase);
  AddCategory(sequence);
  AddName(sequence, legacy != nullptr ? legacy->name_iid : 0);
  AddPlace(track, legacy);
  out_.Time(EventKey::kTs, time_ns);
  if (is_slice) {
    // Ends come later; see Complete.
    const bool has_duration = phase == 'X' && legacy != nullptr && legacy->duration_us > 0 &&
                              legacy->duration_us < kMaxTimeNs / 1000;
    out_.Time(EventKey::kDur, has_duration ? legacy->duration_us * 1000 : 0);
  } else if (legacy != nullptr && legacy->has_id) {
    out_.Unsigned(EventKey::kId, legacy->id);
  }
  if (legacy != nullptr && legacy->binds_to_enclosing && phase == 'f') {
    out_.Other("bp", "\"e\"");
  }
  AddArguments(sequence, phase == 'i' || phase == 'I');
  const auto row = static_cast<uint32_t>(rows_.spans());
  out_.Finish(offset);
  const bool has_row = rows_.spans() > row;
  if (has_row && phase == 'B') AddMark(track, {time_ns, row});
  EmitFlows(track, legacy, time_ns, has_row ? row : kNoRow, offset);
}

void TrackEvents::Read(std::string_view message, std::optional<uint64_t> timestamp,
                       SequenceState& sequence, uint64_t offset) {
  if (!fields_.Read(message)) return rows_.Note(DiagnosticKind::kMalformedEvent, offset);
  if (!timestamp && (fields_.has_absolute_us || fields_.has_delta_us)) {
    sequence.last_time_us =
        fields_.has_absolute_us
            ? fields_.time_us
            : static_cast<int64_t>(static_cast<uint64_t>(sequence.last_time_us) +
                                   static_cast<uint64_t>(fields_.time_us));
    timestamp = static_cast<uint64_t>(sequence.last_time_us) * 1000;
  }
  if (!timestamp) return rows_.Note(DiagnosticKind::kMissingTime, offset);
  const auto time_ns = static_cast<int64_t>(*timestamp - time_offset_);
  if (time_ns > kMaxTimeNs || time_ns < -kMaxTimeNs) {
    return rows_.Note(DiagnosticKind::kNumberOutOfRange, offset);
  }
  if (ReadOurs(time_ns, sequence, offset)) return;

  std::optional<LegacyFields> legacy;
  if (fields_.has_legacy) legacy.emplace(fields_.legacy);
  const uint64_t uuid = fields_.has_track             ? fields_.track
                        : sequence.default_track != 0 ? sequence.default_track
                                                      : sequence.thread_track;
  TrackState& track = tracks_.Get(uuid);
  tracks_.Resolve(track);
  switch (fields_.type) {
    case event::kSliceBegin:
      EmitEvent('B', track, legacy ? &*legacy : nullptr, time_ns, sequence, offset);
      break;
    case event::kSliceEnd:
      AddMark(track, {time_ns, SliceMark::kEnd});
      rows_.Count();
      break;
    case event::kInstant:
      EmitEvent('i', track, legacy ? &*legacy : nullptr, time_ns, sequence, offset);
      break;
    case event::kCounter:
      if (!fields_.has_counter) return rows_.Note(DiagnosticKind::kMissingTime, offset);
      EmitCounter(track, time_ns,
                  fields_.counter_is_double ? std::nullopt : std::optional(fields_.counter),
                  fields_.double_counter, sequence, offset);
      break;
    default:
      if (!legacy || legacy->phase == '\0')
        return rows_.Note(DiagnosticKind::kUnknownPhase, offset);
      if (legacy->phase == 'E') {
        AddMark(track, {time_ns, SliceMark::kEnd});
        rows_.Count();
      } else {
        EmitEvent(legacy->phase, track, &*legacy, time_ns, sequence, offset);
      }
  }
  EmitExtraCounters(time_ns, sequence, offset);
}

void TrackEvents::Complete(Trace& trace) {
  PairedSlices paired;
  for (auto& [uuid, track] : tracks_.all()) PairSlices(track.slices, paired);
  ApplySlices(paired, trace);
  NoteDropped(trace);
  if (!ours_) {
    ConnectFlows(flow_rows_, trace);
  } else if (!replaced_flows_.empty()) {
    DropReplacedFlows(flow_rows_, replaced_flows_, trace);
  }
}

}  // namespace telltale::perfetto
