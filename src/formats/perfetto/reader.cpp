// SPDX-License-Identifier: Apache-2.0
// Packets: which sequence they belong to, the texts and clocks they bring, and the events in them.
#include "formats/perfetto/reader.h"

#include <memory>
#include <optional>
#include <unordered_map>

#include "base/json/text.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/memory_meter.h"
#include "formats/perfetto/clocks.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/packets.h"
#include "formats/perfetto/sequence.h"
#include "formats/perfetto/track_events.h"
#include "formats/trace_rows/rows.h"

namespace telltale {

namespace perfetto {
namespace {

constexpr size_t kMaxPacketBytes = size_t{64} << 20;

void ReadInterned(std::string_view bytes, SequenceState& sequence) {
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
    const std::string clean = RepairUtf8(text);
    switch (f.number) {
      case interned::kCategories:
        sequence.categories.Set(iid, Quoted(clean));
        break;
      case interned::kEventNames:
        sequence.event_names.Set(iid, Quoted(clean));
        break;
      case interned::kAnnotationNames:
        sequence.annotations.SetName(iid, clean);
        break;
      default:
        sequence.annotations.SetString(iid, clean);
    }
  }
}

void ReadDefaults(std::string_view bytes, SequenceState& sequence) {
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

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options, EventListener* listener)
      : source_(source),
        options_(options),
        events_(rows_, listener),
        held_(options.memory, [this] { return Held(); }) {}

  Result<Trace> Run() {
    PacketStream packets(source_, rows_.trace().diagnostics, MaxPacket());
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
    if (count == 0) {
      return Fail(ErrorCode::kUnreadable,
                  "expected packets of a Perfetto trace, found none; record the trace again");
    }
    Trace trace = rows_.Finish();
    trace.source.decoded_bytes = packets.bytes_read();
    events_.Complete(trace);
    if (!events_.ours() && clocks_.realtime_offset().value_or(0) > 0) {
      trace.base_time_ns = *clocks_.realtime_offset();
    }
    return trace;
  }

 private:
  [[nodiscard]] size_t Held() const {
    size_t bytes = rows_.memory_bytes() + events_.memory_bytes() + MemoryOfNodes(sequences_);
    for (const auto& [id, sequence] : sequences_) bytes += sequence.memory_bytes();
    return bytes;
  }
  [[nodiscard]] size_t MaxPacket() const {
    return options_.max_value_bytes != 0 ? options_.max_value_bytes : kMaxPacketBytes;
  }
  SequenceState& Sequence(uint64_t id) {
    if (last_sequence_ != nullptr && last_sequence_id_ == id) return *last_sequence_;
    last_sequence_ = &sequences_[id];
    last_sequence_id_ = id;
    return *last_sequence_;
  }
  void ReadPacket(std::string_view bytes, uint64_t offset, bool outermost);
  void ReadCompressed(std::string_view bytes, uint64_t offset);

  ByteSource& source_;
  const ReadOptions& options_;
  trace_rows::Rows rows_;
  TrackEvents events_;
  Clocks clocks_;
  std::unordered_map<uint64_t, SequenceState> sequences_;
  SequenceState* last_sequence_ = nullptr;
  uint64_t last_sequence_id_ = 0;
  HeldMemory held_;
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
  if (reader.bad()) rows_.Note(DiagnosticKind::kMalformedEvent, offset);
  if (!compressed.empty()) {
    if (!outermost) return rows_.Note(DiagnosticKind::kMalformedEvent, offset);
    return ReadCompressed(compressed, offset);
  }
  SequenceState& sequence = Sequence(sequence_id);
  if (cleared || (flags & packet::kFlagStateCleared) != 0) sequence.ClearIncrementalState();
  if (!interned_data.empty()) ReadInterned(interned_data, sequence);
  if (!defaults.empty()) ReadDefaults(defaults, sequence);
  if (!snapshot.empty()) clocks_.Read(snapshot, sequence);
  if (!process_descriptor.empty()) {
    events_.DescribeProcess(process_descriptor, sequence_id, offset);
  }
  if (!thread_descriptor.empty()) events_.DescribeThread(thread_descriptor, sequence, offset);
  if (!descriptor.empty()) events_.Describe(descriptor, offset);
  if (!has_event) return;
  if (timestamp) {
    timestamp =
        clocks_.ToTraceTime(*timestamp, has_clock ? clock : sequence.default_clock, sequence);
  }
  events_.Read(event, timestamp, sequence, offset);
  rows_.FlushIfLarge();
}

void Reader::ReadCompressed(std::string_view bytes, uint64_t offset) {
  const std::unique_ptr<ByteSource> inflated = OpenZlib(bytes);
  Diagnostics problems;
  PacketStream packets(*inflated, problems, MaxPacket(), offset);
  for (uint64_t count = 0;; ++count) {
    // They may be many more than the source gave bytes.
    if ((count & 0xfff) == 0xfff && options_.memory != nullptr && options_.memory->IsTooMuch()) {
      break;
    }
    const Result<std::optional<Packet>> packet = packets.Next();
    if (!packet || !*packet) break;
    ReadPacket((*packet)->bytes, offset, false);
  }
  rows_.diagnostics().Merge(problems);
  if (const auto problem = inflated->problem()) {
    rows_.diagnostics().AddWithDetail(DiagnosticKind::kCorruptCompression, offset,
                                      problem->message);
  }
}

}  // namespace
}  // namespace perfetto

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

Result<Trace> ReadPerfettoEvents(ByteSource& source, const ReadOptions& options,
                                 EventListener& listener) {
  return perfetto::Reader(source, options, &listener).Run();
}

}  // namespace telltale
