// SPDX-License-Identifier: Apache-2.0
#include "collect/span_packets.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"

namespace telltale {

namespace {

namespace event = perfetto::event;
namespace packet = perfetto::packet;
namespace track = perfetto::track;

// Of a sequence alone: counts from the packet before.
constexpr uint64_t kDeltaClock = 64;
constexpr uint64_t kAnnotationCategory = 1;
constexpr uint64_t kDroppedCategory = 2;

// Numbers of tracks, the same for whoever goes on with the file.
uint64_t TrackOf(std::string_view what, uint64_t a, uint64_t b = 0) {
  uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  const auto mix = [&hash](uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const char c : what) mix(static_cast<unsigned char>(c));
  for (int i = 0; i < 64; i += 8) mix(a >> i & 0xff);
  for (int i = 0; i < 64; i += 8) mix(b >> i & 0xff);
  return hash | 1;  // 0 is no track
}

}  // namespace

void SpanPackets::Head(uint64_t sequence, const RegionHeaderInfo& process) {
  size_t mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kSequenceId, sequence);
  const size_t snapshot = out_.Begin(packet::kClockSnapshot);
  const auto clock = [&](uint64_t id, int64_t time_ns) {
    const size_t inner = out_.Begin(perfetto::clocks::kClock);
    out_.Uint(perfetto::clocks::kId, id);
    out_.Int(perfetto::clocks::kTimestamp, time_ns);
    out_.End(inner);
  };
  clock(perfetto::clocks::kBoottime, 0);
  clock(perfetto::clocks::kRealtime, process.started_wall_ns);
  out_.Uint(perfetto::clocks::kPrimary, perfetto::clocks::kBoottime);
  out_.End(snapshot);
  out_.End(mark);

  mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kSequenceId, sequence);
  const size_t descriptor = out_.Begin(packet::kTrackDescriptor);
  out_.Uint(track::kUuid, TrackOf("process", pid_));
  const size_t of_process = out_.Begin(track::kProcess);
  out_.Uint(perfetto::process::kPid, pid_);
  if (!process.program.empty()) out_.Bytes(perfetto::process::kName, process.program);
  out_.End(of_process);
  out_.End(descriptor);
  out_.End(mark);
}

void SpanPackets::BeginSequence(uint64_t sequence, Thread thread, std::string_view name,
                                int64_t now_ns) {
  const uint64_t uuid = TrackOf("thread", thread.number, thread.serial);
  size_t mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kSequenceId, sequence);
  out_.Uint(packet::kSequenceFlags, packet::kFlagStateCleared);
  const size_t defaults = out_.Begin(packet::kDefaults);
  const size_t of_events = out_.Begin(perfetto::defaults::kTrackEvent);
  out_.Uint(event::kTrackUuid, uuid);
  out_.End(of_events);
  out_.Uint(perfetto::defaults::kTimestampClockId, kDeltaClock);
  out_.End(defaults);
  const size_t interned = out_.Begin(packet::kInternedData);
  const auto category = [&](uint64_t number, std::string_view text) {
    const size_t entry = out_.Begin(perfetto::interned::kCategories);
    out_.Uint(perfetto::interned::kIid, number);
    out_.Bytes(perfetto::interned::kText, text);
    out_.End(entry);
  };
  category(kAnnotationCategory, "user_annotation");
  category(kDroppedCategory, perfetto::kDroppedCategory);
  out_.End(interned);
  const size_t descriptor = out_.Begin(packet::kTrackDescriptor);
  out_.Uint(track::kUuid, uuid);
  out_.Uint(track::kParentUuid, TrackOf("process", pid_));
  const size_t of_thread = out_.Begin(track::kThread);
  out_.Uint(perfetto::thread::kPid, pid_);
  out_.Uint(perfetto::thread::kTid, thread.number);
  if (!name.empty()) out_.Bytes(perfetto::thread::kName, name);
  out_.End(of_thread);
  out_.End(descriptor);
  out_.End(mark);

  mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kSequenceId, sequence);
  const size_t snapshot = out_.Begin(packet::kClockSnapshot);
  for (const uint64_t id : {perfetto::clocks::kBoottime, kDeltaClock}) {
    const size_t clock = out_.Begin(perfetto::clocks::kClock);
    out_.Uint(perfetto::clocks::kId, id);
    out_.Int(perfetto::clocks::kTimestamp, now_ns);
    if (id == kDeltaClock) out_.Uint(perfetto::clocks::kIsIncremental, 1);
    out_.End(clock);
  }
  out_.End(snapshot);
  out_.End(mark);
}

void SpanPackets::Name(uint64_t sequence, uint32_t number, std::string_view text) {
  const size_t mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kSequenceId, sequence);
  const size_t interned = out_.Begin(packet::kInternedData);
  const size_t entry = out_.Begin(perfetto::interned::kEventNames);
  out_.Uint(perfetto::interned::kIid, number);
  out_.Bytes(perfetto::interned::kText, text);
  out_.End(entry);
  out_.End(interned);
  out_.End(mark);
}

void SpanPackets::Event(uint64_t sequence, int64_t delta_ns, uint64_t type, uint32_t name) {
  const size_t mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kTimestamp, static_cast<uint64_t>(delta_ns));
  out_.Uint(packet::kSequenceId, sequence);
  const size_t inner = out_.Begin(packet::kTrackEvent);
  out_.Uint(event::kType, type);
  if (name != 0) {
    out_.Uint(event::kCategoryIids, kAnnotationCategory);
    out_.Uint(event::kNameIid, name);
  }
  out_.End(inner);
  out_.End(mark);
}

void SpanPackets::DescribeCounter(std::string_view name) {
  const size_t mark = out_.Begin(perfetto::trace::kPacket);
  const size_t descriptor = out_.Begin(packet::kTrackDescriptor);
  out_.Uint(track::kUuid, TrackOf(name, pid_, 1));
  out_.Bytes(track::kName, name);
  out_.Uint(track::kParentUuid, TrackOf("process", pid_));
  out_.End(out_.Begin(track::kCounter));
  out_.End(descriptor);
  out_.End(mark);
}

void SpanPackets::Counter(uint64_t sequence, int64_t delta_ns, std::string_view name,
                          double value) {
  const size_t mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kTimestamp, static_cast<uint64_t>(delta_ns));
  out_.Uint(packet::kSequenceId, sequence);
  const size_t inner = out_.Begin(packet::kTrackEvent);
  out_.Uint(event::kType, event::kCounter);
  out_.Uint(event::kTrackUuid, TrackOf(name, pid_, 1));
  out_.Double(event::kDoubleCounterValue, value);
  out_.End(inner);
  out_.End(mark);
}

void SpanPackets::DescribeSteps(Thread thread, std::string_view title) {
  const size_t mark = out_.Begin(perfetto::trace::kPacket);
  const size_t descriptor = out_.Begin(packet::kTrackDescriptor);
  out_.Uint(track::kUuid, TrackOf("steps", thread.number, thread.serial));
  out_.Bytes(track::kName, title);
  out_.Uint(track::kParentUuid, TrackOf("process", pid_));
  out_.End(descriptor);
  out_.End(mark);
}

void SpanPackets::Step(uint64_t sequence, Thread thread, int64_t step, int64_t begin_ns,
                       int64_t end_ns) {
  const uint64_t uuid = TrackOf("steps", thread.number, thread.serial);
  StepEvent(sequence, uuid, begin_ns, event::kSliceBegin, fmt::format("ProfilerStep#{}", step));
  StepEvent(sequence, uuid, end_ns, event::kSliceEnd, {});
}

void SpanPackets::StepEvent(uint64_t sequence, uint64_t uuid, int64_t time_ns, uint64_t type,
                            std::string_view name) {
  const size_t mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kTimestamp, static_cast<uint64_t>(std::max<int64_t>(time_ns, 0)));
  out_.Uint(packet::kTimestampClockId, perfetto::clocks::kBoottime);
  out_.Uint(packet::kSequenceId, sequence);
  const size_t inner = out_.Begin(packet::kTrackEvent);
  out_.Uint(event::kType, type);
  out_.Uint(event::kTrackUuid, uuid);
  if (!name.empty()) {
    out_.Uint(event::kCategoryIids, kAnnotationCategory);
    // A name that comes once is not worth a number.
    out_.Bytes(event::kName, name);
  }
  out_.End(inner);
  out_.End(mark);
}

void SpanPackets::Dropped(uint64_t sequence, uint64_t now_ns, uint64_t dropped, uint64_t left_out) {
  const size_t mark = out_.Begin(perfetto::trace::kPacket);
  out_.Uint(packet::kTimestamp, now_ns);
  out_.Uint(packet::kTimestampClockId, perfetto::clocks::kBoottime);
  // It needs nothing that another packet said.
  out_.Uint(packet::kSequenceId, sequence);
  out_.Uint(packet::kSequenceFlags, packet::kFlagStateCleared);
  const size_t interned = out_.Begin(packet::kInternedData);
  const size_t entry = out_.Begin(perfetto::interned::kCategories);
  out_.Uint(perfetto::interned::kIid, kDroppedCategory);
  out_.Bytes(perfetto::interned::kText, perfetto::kDroppedCategory);
  out_.End(entry);
  out_.End(interned);
  const size_t inner = out_.Begin(packet::kTrackEvent);
  out_.Uint(event::kType, event::kInstant);
  out_.Uint(event::kCategoryIids, kDroppedCategory);
  out_.Uint(event::kTrackUuid, TrackOf("process", pid_));
  out_.Bytes(event::kName, fmt::format("{} spans were dropped, {} left out", dropped, left_out));
  for (const auto& [name, count] : {std::pair(perfetto::kDroppedCount, dropped),
                                    std::pair(perfetto::kLeftOutCount, left_out)}) {
    const size_t annotation = out_.Begin(event::kAnnotations);
    out_.Bytes(perfetto::annotation::kName, name);
    out_.Uint(perfetto::annotation::kUint, count);
    out_.End(annotation);
  }
  out_.End(inner);
  out_.End(mark);
}

}  // namespace telltale
