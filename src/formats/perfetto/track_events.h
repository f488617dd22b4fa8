// SPDX-License-Identifier: Apache-2.0
// From track descriptors and track events to rows: which track is which thread, what an event says,
// which of its numbers stand for which text. Knows nothing of packets and clocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perfetto/completion.h"
#include "formats/perfetto/event_fields.h"
#include "formats/perfetto/event_output.h"
#include "formats/perfetto/sequence.h"
#include "formats/perfetto/tracks.h"
#include "model/trace.h"

namespace telltale::perfetto {

class TrackEvents {
 public:
  TrackEvents(Rows& rows, EventListener* listener) : rows_(rows), out_(rows, listener) {}

  // `offset` is that of the packet, as everywhere here.
  void Describe(std::string_view track_descriptor, uint64_t offset);
  // The old forms, without a track.
  void DescribeProcess(std::string_view process_descriptor, uint64_t sequence_id, uint64_t offset);
  void DescribeThread(std::string_view thread_descriptor, SequenceState& sequence, uint64_t offset);

  // Takes a TrackEvent message. `timestamp` in trace time, if the packet has one.
  void Read(std::string_view message, std::optional<uint64_t> timestamp, SequenceState& sequence,
            uint64_t offset);

  // About what it takes beside the rows.
  [[nodiscard]] size_t memory_bytes() const;
  // When all is read: durations and arrows.
  void Complete(Trace& trace);
  // Did Telltale write the file?
  [[nodiscard]] bool ours() const { return ours_; }

 private:
  struct FlowKind {
    JsonText category;
    JsonText name;
  };

  void NameTrack(const TrackState& track, uint64_t offset);
  void AddMark(TrackState& track, SliceMark mark) {
    track.slices.push_back(mark);
    ++marks_;
  }

  // What our own writer wrote (dialect.h). True: done with the event.
  bool ReadOurs(int64_t time_ns, const SequenceState& sequence, uint64_t offset);
  void ReadMark(const SequenceState& sequence);
  void ReadDropped(const SequenceState& sequence, uint64_t offset);
  void NoteDropped(Trace& trace) const;
  void ReadMetadata(const SequenceState& sequence, uint64_t offset);
  void ReadRecord(int64_t time_ns, const SequenceState& sequence, uint64_t offset);
  [[nodiscard]] bool IsExtra(std::string_view annotation, const SequenceState& sequence) const;

  void AddPlace(const TrackState& track, const LegacyFields* legacy);
  void AddCategory(const SequenceState& sequence);
  void AddName(const SequenceState& sequence, uint64_t legacy_iid);
  void AddArguments(const SequenceState& sequence, bool instant);
  // Returns whether a scope is among them.
  bool AddExtra(std::string_view annotation, const SequenceState& sequence);
  void EmitEvent(char phase, TrackState& track, const LegacyFields* legacy, int64_t time_ns,
                 const SequenceState& sequence, uint64_t offset);
  void EmitCounter(TrackState& track, int64_t time_ns, std::optional<int64_t> integer, double value,
                   const SequenceState& sequence, uint64_t offset);
  void EmitExtraCounters(int64_t time_ns, const SequenceState& sequence, uint64_t offset);
  void EmitFlows(const TrackState& track, const LegacyFields* legacy, int64_t time_ns,
                 uint32_t span, uint64_t offset);

  Rows& rows_;
  EventOutput out_;
  TrackTable tracks_;
  EventFields fields_;  // of the event at hand
  std::string name_buffer_;

  const JsonText unknown_flow_{"\"flow\""};
  struct Dropped {
    uint64_t dropped = 0;
    uint64_t left_out = 0;
    std::optional<uint64_t> first_offset;
  };

  bool ours_ = false;
  Dropped dropped_;                   // as our recorder said
  uint64_t time_offset_ = 0;          // as our own writer said
  std::vector<FlowKind> flow_kinds_;  // as our own writer said
  std::vector<FlowRow> flow_rows_;
  FlowPlaces replaced_flows_;
  size_t marks_ = 0;  // slices of all tracks
};

}  // namespace telltale::perfetto
