// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/writer.h"

#include <algorithm>

#include "base/json/text.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"

namespace telltale {

namespace {

using namespace perfetto;

template <typename Column>
void TakeFirst(const Column& times, const std::vector<bool>& keep, int64_t shift_ns,
               int64_t& first) {
  for (size_t i = 0; i < times.size(); ++i) {
    if (TracePlan::Keeps(keep, i)) first = std::min(first, times[i] + shift_ns);
  }
}

}  // namespace

PerfettoWriter::PerfettoWriter(ByteSink& sink, std::span<const TracePlan> plans) : sink_(sink) {
  sequences_.push_back(std::make_unique<Sequence>());
  sequences_.back()->id = 1;
  first_time_ns_ = INT64_MAX;
  for (const TracePlan& plan : plans) {
    inputs_.emplace_back();
    inputs_.back().plan = &plan;
    const Trace& trace = *plan.trace;
    TakeFirst(trace.spans.start_ns, plan.spans, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.memory.time_ns, plan.memory, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.flows.time_ns, plan.flows, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.counters.time_ns, plan.counters, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.instants.time_ns, plan.instants, plan.shift_ns, first_time_ns_);
  }
  if (first_time_ns_ == INT64_MAX) first_time_ns_ = 0;
  // Perfetto's times are not negative, and best absolute.
  base_time_ns_ = plans.empty() ? 0 : plans.front().trace->base_time_ns;
  time_offset_ = static_cast<uint64_t>(base_time_ns_);
  if (first_time_ns_ + base_time_ns_ < 0) time_offset_ = 0 - static_cast<uint64_t>(first_time_ns_);
  for (Input& input : inputs_) Prepare(input);
  WriteHead();
}

// Behind the top-level values that came first, so that who reads the file has them first too.
void PerfettoWriter::WriteBeforeEvents() {
  if (begun_) return;
  begun_ = true;
  WriteMetadata();
  for (Input& input : inputs_) WriteTracks(input);
  for (const Input& input : inputs_) WriteEnds(input);
}

void PerfettoWriter::Prepare(Input& input) {
  const Trace& trace = *input.plan->trace;
  input.lanes = AssignLanes(trace, input.plan->spans);
  input.process_uuid.assign(input.plan->processes.size(), 0);
  input.track_uuid.assign(input.plan->tracks.size(), 0);
  input.lane_uuid.assign(input.plan->tracks.size(), 0);
  for (size_t i = 0; i < input.plan->processes.size(); ++i) {
    input.process_sequence.push_back(static_cast<uint32_t>(sequences_.size()));
    sequences_.push_back(std::make_unique<Sequence>());
    sequences_.back()->id = sequences_.size();
  }
  BindFlows(input);
}

void PerfettoWriter::WritePacket(std::string_view body) {
  framed_.Clear();
  framed_.Bytes(trace::kPacket, body);
  sink_.Write(framed_.bytes());
}

void PerfettoWriter::WriteHead() {
  if (base_time_ns_ > 0) {
    // Trace time is time since 1970.
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, 1);
    const size_t snapshot = packet_.Begin(packet::kClockSnapshot);
    for (const uint64_t clock : {clocks::kBoottime, clocks::kRealtime}) {
      const size_t mark = packet_.Begin(clocks::kClock);
      packet_.Uint(clocks::kId, clock);
      packet_.Uint(clocks::kTimestamp, Timestamp(first_time_ns_));
      packet_.End(mark);
    }
    packet_.Uint(clocks::kPrimary, clocks::kBoottime);
    packet_.End(snapshot);
    WritePacket(packet_.bytes());
  }
  metadata_uuid_ = next_uuid_++;
  record_uuid_ = next_uuid_++;
  for (const auto& [uuid, name] :
       {std::pair(metadata_uuid_, "Trace metadata"), std::pair(record_uuid_, "Other events")}) {
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, 1);
    const size_t descriptor = packet_.Begin(packet::kTrackDescriptor);
    packet_.Uint(track::kUuid, uuid);
    packet_.Bytes(track::kName, name);
    packet_.End(descriptor);
    WritePacket(packet_.bytes());
  }
  Sequence& sequence = *sequences_[0];
  BeginEvent(sequence, first_time_ns_, event::kInstant, metadata_uuid_);
  event_.Uint(event::kCategoryIids,
              sequence.names.categories.Id(kMarkCategory, sequence.names.fresh));
  event_.Uint(event::kNameIid, sequence.names.events.Id(kMarkName, sequence.names.fresh));
  WriteAnnotation(event_, event::kAnnotations, kMarkVersion, "1", sequence.names);
  WriteAnnotation(event_, event::kAnnotations, kMarkTimeOffset,
                  std::to_string(static_cast<int64_t>(time_offset_)), sequence.names);
  std::string kinds = "[";
  for (const std::string& category : flow_kinds_) {
    if (kinds.size() > 1) kinds += ',';
    AppendQuoted(kinds, category);
  }
  WriteAnnotation(event_, event::kAnnotations, kMarkFlows, kinds + "]", sequence.names);
  EndEvent(sequence);
}

void PerfettoWriter::WriteEnds(const Input& input) {
  const SpanTable& spans = input.plan->trace->spans;
  for (const uint32_t row : input.lanes.order) {
    if (spans.duration_ns[row] == 0 || spans.category[row] == Category::kUnmatched) continue;
    const auto track_index = static_cast<size_t>(spans.track[row]);
    const uint32_t lane = input.lanes.lane[row];
    Sequence& sequence = SequenceOf(input, spans.track[row]);
    packet_.Clear();
    packet_.Uint(packet::kTimestamp, Timestamp(spans.end_ns(row) + input.plan->shift_ns));
    packet_.Uint(packet::kSequenceId, sequence.id);
    const size_t mark = packet_.Begin(packet::kTrackEvent);
    packet_.Uint(event::kType, event::kSliceEnd);
    packet_.Uint(event::kTrackUuid, lane == 0 ? input.track_uuid[track_index]
                                              : input.lane_uuid[track_index] + lane - 1);
    packet_.End(mark);
    WritePacket(packet_.bytes());
    if (!sink_.wanted()) return;
  }
}

void PerfettoWriter::BeginEvent(Sequence& sequence, int64_t time_ns, uint64_t type,
                                uint64_t track_uuid) {
  if (!sequence.started) {
    // A packet of its own: events may be held back, this must come first.
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, sequence.id);
    packet_.Uint(packet::kSequenceFlags, packet::kFlagStateCleared);
    WritePacket(packet_.bytes());
    sequence.started = true;
  }
  packet_.Clear();
  packet_.Uint(packet::kTimestamp, Timestamp(time_ns));
  packet_.Uint(packet::kSequenceId, sequence.id);
  packet_.Uint(packet::kSequenceFlags, packet::kFlagNeedsState);
  sequence.names.fresh.Clear();
  event_.Clear();
  if (type != event::kUnspecified) event_.Uint(event::kType, type);
  event_.Uint(event::kTrackUuid, track_uuid);
}

void PerfettoWriter::EndEvent(Sequence& sequence, std::string* into) {
  const std::string_view fresh = sequence.names.fresh.bytes();
  if (into != nullptr && !fresh.empty()) {
    // This packet may be held back, but later ones will use the names it introduces.
    MessageWriter names;
    names.Uint(packet::kSequenceId, sequence.id);
    names.Uint(packet::kSequenceFlags, packet::kFlagNeedsState);
    names.Bytes(packet::kInternedData, fresh);
    WritePacket(names.bytes());
  } else if (!fresh.empty()) {
    packet_.Bytes(packet::kInternedData, fresh);
  }
  packet_.Bytes(packet::kTrackEvent, event_.bytes());
  if (into == nullptr) return WritePacket(packet_.bytes());
  framed_.Clear();
  framed_.Bytes(trace::kPacket, packet_.bytes());
  into->append(framed_.bytes());
}

void PerfettoWriter::Metadata(std::string_view key, std::string_view json) {
  metadata_.emplace_back(key, json);
}

void PerfettoWriter::WriteMetadata() {
  if (metadata_.empty()) return;
  Sequence& sequence = *sequences_[0];
  BeginEvent(sequence, first_time_ns_, event::kInstant, metadata_uuid_);
  event_.Uint(event::kCategoryIids,
              sequence.names.categories.Id(kMetadataCategory, sequence.names.fresh));
  event_.Uint(event::kNameIid, sequence.names.events.Id(kMetadataName, sequence.names.fresh));
  for (const auto& [key, json] : metadata_) {
    WriteAnnotation(event_, event::kAnnotations, key, json, sequence.names);
  }
  EndEvent(sequence);
  metadata_.clear();
}

void PerfettoWriter::Finish() {
  WriteBeforeEvents();
  for (Input& input : inputs_) {
    // Parents that never came.
    for (const auto& [parent, children] : input.waiting) {
      for (const auto& [child, bytes] : children) sink_.Write(bytes);
    }
    input.waiting.clear();
  }
  WriteMetadata();
}

}  // namespace telltale
