// SPDX-License-Identifier: Apache-2.0
// Writes a Perfetto trace of track events (FORMAT.md): tracks first, then the ends of all slices,
// then everything else in the order in which it comes. That order lets the events stream through
// while ends still stand before the beginnings at the same nanosecond.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/column.h"
#include "base/protobuf.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/interner.h"
#include "formats/perfetto/lanes.h"
#include "formats/trace_plan.h"
#include "formats/trace_writer.h"
#include "io/byte_sink.h"

namespace telltale {

class PerfettoWriter final : public TraceWriter {
 public:
  // The plans and their traces must outlive the writer. Writes at once.
  PerfettoWriter(ByteSink& sink, std::span<const TracePlan> plans);

  void Metadata(std::string_view key, std::string_view json) override;
  void Event(const TraceEvent& event, size_t input) override;
  void AddCounter(std::string_view pid, std::string_view name, std::string_view series,
                  int64_t time_ns, double value, size_t input) override;
  void Finish() override;
  [[nodiscard]] const LossCounts& lost() const override { return lost_; }

 private:
  struct Sequence {
    uint64_t id = 0;
    bool started = false;
    perfetto::SequenceNames names;
  };
  struct FlowOfSpan {
    uint64_t flow_id;
    bool ends;
  };
  struct Input {
    const TracePlan* plan = nullptr;
    perfetto::Lanes lanes;
    std::vector<uint64_t> process_uuid;
    std::vector<uint32_t> process_sequence;  // into sequences_
    std::vector<uint64_t> track_uuid;        // of lane 0; lane n is at lane_uuid + n - 1
    std::vector<uint64_t> lane_uuid;
    std::unordered_map<std::string, uint64_t> counter_uuid;
    std::vector<uint64_t> flow_kind;  // of a category: kind + 1, or 0
    // Flows that stand exactly where a slice begins are part of it.
    std::vector<std::pair<uint32_t, FlowOfSpan>> flows_of_spans;  // by span
    std::vector<bool> bound_flows;                                // by flow
    // Beginnings that must wait for their parent's, encoded.
    std::unordered_map<uint32_t, std::vector<std::pair<uint32_t, std::string>>> waiting;
  };

  void Prepare(Input& input);
  void BindFlows(Input& input);
  void WriteHead();
  void WriteBeforeEvents();
  void WriteMetadata();
  void WriteTracks(Input& input);
  void WriteEnds(const Input& input);

  void WriteSlice(const TraceEvent& event, Input& input);
  void WriteInstant(const TraceEvent& event, Input& input);
  void WriteCounter(const TraceEvent& event, size_t input_index);
  void WriteAsync(const TraceEvent& event, Input& input);
  void WriteRecord(const TraceEvent& event, Input& input, uint64_t flow_id);
  // Starts track_event in packet_; EndEvent closes and writes it.
  void BeginEvent(Sequence& sequence, int64_t time_ns, uint64_t type, uint64_t track_uuid);
  void EndEvent(Sequence& sequence, std::string* into = nullptr);
  void WriteNameAndCategory(const TraceEvent& event, Sequence& sequence,
                            std::vector<JsonField>& extra);
  void WriteArguments(const TraceEvent& event, Sequence& sequence,
                      const std::vector<JsonField>& extra);
  void WritePacket(std::string_view body);
  void FlushWaiting(Input& input, uint32_t row);

  [[nodiscard]] uint64_t Timestamp(int64_t time_ns) const {
    return static_cast<uint64_t>(time_ns) + time_offset_;
  }
  [[nodiscard]] Sequence& SequenceOf(const Input& input, TrackId track) {
    const uint32_t process = input.plan->tracks[static_cast<size_t>(track)].process;
    return *sequences_[input.process_sequence[process]];
  }

  ByteSink& sink_;
  std::vector<Input> inputs_;
  std::vector<std::unique_ptr<Sequence>> sequences_;  // 0: not of any process
  std::unordered_map<std::string, uint64_t> added_counters_;
  std::vector<std::string> flow_kinds_;  // categories
  bool begun_ = false;
  std::vector<std::pair<std::string, std::string>> metadata_;  // not written yet
  uint64_t time_offset_ = 0;                                   // modulo 2^64
  int64_t first_time_ns_ = 0;
  int64_t base_time_ns_ = 0;
  uint64_t next_uuid_ = 1;
  uint64_t metadata_uuid_ = 0;
  uint64_t record_uuid_ = 0;

  protobuf::MessageWriter packet_;
  protobuf::MessageWriter event_;
  protobuf::MessageWriter framed_;
  LossCounts lost_;
};

}  // namespace telltale
