// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/reader.h"

#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/protobuf.h"
#include "formats/conversion_fixture.h"
#include "formats/kineto_json/trace_dump.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/slices.h"

namespace telltale {
namespace {

using namespace perfetto;
using testing::ElementsAre;
using testing::HasSubstr;

// Packets by hand, as foreign writers make them.
class Packets {
 public:
  template <typename Fill>
  Packets& Add(Fill fill) {
    MessageWriter packet;
    fill(packet);
    MessageWriter framed;
    framed.Bytes(trace::kPacket, packet.bytes());
    bytes_ += framed.bytes();
    return *this;
  }
  Packets& Thread(uint64_t uuid, int64_t pid, int64_t tid) {
    return Add([&](MessageWriter& p) {
      const size_t descriptor = p.Begin(packet::kTrackDescriptor);
      p.Uint(track::kUuid, uuid);
      const size_t mark = p.Begin(track::kThread);
      p.Int(thread::kPid, pid);
      p.Int(thread::kTid, tid);
      p.End(mark);
      p.End(descriptor);
    });
  }
  template <typename Fill>
  Packets& Event(uint64_t time, uint64_t uuid, uint64_t type, Fill fill) {
    return Add([&](MessageWriter& p) {
      p.Uint(packet::kTimestamp, time);
      p.Uint(packet::kSequenceId, 1);
      const size_t mark = p.Begin(packet::kTrackEvent);
      p.Uint(event::kType, type);
      p.Uint(event::kTrackUuid, uuid);
      fill(p);
      p.End(mark);
    });
  }
  Packets& Begin(uint64_t time, uint64_t uuid, std::string_view name, std::string_view category) {
    return Event(time, uuid, event::kSliceBegin, [&](MessageWriter& p) {
      p.Bytes(event::kName, name);
      p.Bytes(event::kCategories, category);
    });
  }
  Packets& End(uint64_t time, uint64_t uuid) {
    return Event(time, uuid, event::kSliceEnd, [](MessageWriter&) {});
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

Trace Read(std::string_view bytes, size_t chunk = SIZE_MAX) {
  const auto source = OpenMemory(bytes, chunk);
  Result<Trace> trace = ReadPerfetto(*source);
  EXPECT_TRUE(trace) << trace.error().message;
  return std::move(*trace);
}

std::vector<std::string> Spans(const Trace& trace) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    rows.push_back(std::string(trace.NameOfSpan(i)) + " " +
                   std::to_string(trace.spans.start_ns[i]) + "+" +
                   std::to_string(trace.spans.duration_ns[i]));
  }
  return rows;
}

TEST(PerfettoReader, PairsSlicesPerTrackInOrderOfTime) {
  const Trace trace = Read(Packets()
                               .Thread(1, 10, 11)
                               .Thread(2, 10, 12)
                               .Begin(100, 1, "outer", "cpu_op")
                               .Begin(110, 2, "other", "cpu_op")
                               .Begin(120, 1, "inner", "cpu_op")
                               .End(130, 1)
                               .End(140, 2)
                               .End(150, 1)
                               .bytes());
  EXPECT_THAT(Spans(trace), ElementsAre("outer 100+50", "other 110+30", "inner 120+10"));
  EXPECT_EQ(trace.spans.category[0], Category::kOperator);
  EXPECT_EQ(trace.tracks[static_cast<size_t>(trace.spans.track[1])].tid.number, 12);
  EXPECT_TRUE(trace.diagnostics.empty());
}

// torch writes all beginnings of a kind, then all ends: kernels that overlap keep their own ends.
TEST(PerfettoReader, PairsGroupedSlicesByTheirPlace) {
  const Trace trace = Read(Packets()
                               .Thread(1, 0, 7)
                               .Begin(100, 1, "a", "kernel")
                               .Begin(110, 1, "b", "kernel")
                               .Begin(130, 1, "c", "kernel")
                               .End(120, 1)
                               .End(130, 1)
                               .End(131, 1)
                               .bytes());
  EXPECT_THAT(Spans(trace), ElementsAre("a 100+20", "b 110+20", "c 130+1"));
}

TEST(PerfettoReader, CountsSlicesWithoutEndOrBeginning) {
  const Trace trace =
      Read(Packets().Thread(1, 10, 11).End(50, 1).Begin(100, 1, "open", "cpu_op").bytes());
  EXPECT_EQ(trace.spans.category[0], Category::kUnmatched);
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kUnmatchedBegin), 1U);
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kUnmatchedEnd), 1U);
}

TEST(PerfettoReader, TakesKernelArgumentsAndFlows) {
  const auto launch = [](MessageWriter& p) {
    p.Bytes(event::kName, "cudaLaunchKernel");
    p.Bytes(event::kCategories, "cuda_runtime");
    p.Fixed64(event::kFlowIds, 42);
    const size_t mark = p.Begin(event::kAnnotations);
    p.Bytes(annotation::kName, "correlation");
    p.Int(annotation::kInt, 42);
    p.End(mark);
  };
  const auto kernel = [](MessageWriter& p) {
    p.Bytes(event::kName, "gemm");
    p.Bytes(event::kCategories, "kernel");
    p.Fixed64(event::kFlowIds, 42);
    for (const auto& [name, value] : {std::pair("correlation", 42), std::pair("stream", 7)}) {
      const size_t mark = p.Begin(event::kAnnotations);
      p.Bytes(annotation::kName, name);
      p.Uint(annotation::kUint, static_cast<uint64_t>(value));
      p.End(mark);
    }
    const size_t mark = p.Begin(event::kAnnotations);
    p.Bytes(annotation::kName, "grid");
    for (const int64_t n : {4, 2, 1}) {
      const size_t item = p.Begin(annotation::kArrayValues);
      p.Int(annotation::kInt, n);
      p.End(item);
    }
    p.End(mark);
  };
  const Trace trace = Read(Packets()
                               .Thread(1, 10, 11)
                               .Thread(2, 0, 7)
                               .Event(100, 1, event::kSliceBegin, launch)
                               .End(110, 1)
                               .Event(120, 2, event::kSliceBegin, kernel)
                               .End(150, 2)
                               .bytes());
  const DeviceDetail* detail = trace.DeviceOf(1);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->correlation, 42U);
  EXPECT_EQ(detail->stream, 7);
  EXPECT_EQ(detail->grid[0], 4U);
  ASSERT_EQ(trace.flows.size(), 2U);
  EXPECT_EQ(trace.flows.phase[0], FlowPhase::kStart);
  EXPECT_EQ(trace.flows.phase[1], FlowPhase::kEnd);
  EXPECT_EQ(trace.Text(trace.categories[static_cast<size_t>(trace.flows.category_id[0])].text),
            "ac2g");
}

TEST(PerfettoReader, KnowsInternedTextsUntilTheStateIsCleared) {
  Packets packets;
  packets.Thread(1, 10, 11);
  packets.Add([](MessageWriter& p) {
    p.Uint(packet::kSequenceId, 1);
    p.Uint(packet::kSequenceFlags, packet::kFlagStateCleared);
    const size_t data = p.Begin(packet::kInternedData);
    const size_t entry = p.Begin(interned::kEventNames);
    p.Uint(interned::kIid, 900000);
    p.Bytes(interned::kText, "interned \"name\"");
    p.End(entry);
    p.End(data);
  });
  const auto named = [](MessageWriter& p) { p.Uint(event::kNameIid, 900000); };
  packets.Event(1, 1, event::kSliceBegin, named).End(2, 1);
  packets.Add([](MessageWriter& p) {
    p.Uint(packet::kSequenceId, 1);
    p.Uint(packet::kIncrementalStateCleared, 1);
  });
  packets.Event(3, 1, event::kSliceBegin, named).End(4, 1);
  const Trace trace = Read(packets.bytes());
  EXPECT_THAT(Spans(trace), ElementsAre("interned \"name\" 1+1", " 3+1"));
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kMissingName), 1U);
}

TEST(PerfettoReader, TakesDefaultsAndClocks) {
  Packets packets;
  packets.Thread(5, 10, 11);
  packets.Add([](MessageWriter& p) {
    p.Uint(packet::kSequenceId, 1);
    const size_t snapshot = p.Begin(packet::kClockSnapshot);
    const auto clock = [&](uint64_t id, uint64_t time, uint64_t multiplier, bool incremental) {
      const size_t mark = p.Begin(clocks::kClock);
      p.Uint(clocks::kId, id);
      p.Uint(clocks::kTimestamp, time);
      if (multiplier != 1) p.Uint(clocks::kUnitMultiplierNs, multiplier);
      if (incremental) p.Uint(clocks::kIsIncremental, 1);
      p.End(mark);
    };
    clock(clocks::kBoottime, 5'000'000, 1, false);
    clock(clocks::kRealtime, 1'700'000'005'000'000, 1, false);
    clock(64, 5000, 1000, true);
    p.End(snapshot);
    const size_t defaults_mark = p.Begin(packet::kDefaults);
    p.Uint(defaults::kTimestampClockId, 64);
    const size_t event_mark = p.Begin(defaults::kTrackEvent);
    p.Uint(event::kTrackUuid, 5);
    p.End(event_mark);
    p.End(defaults_mark);
  });
  for (const auto& [delta, type] :
       {std::pair(7, event::kSliceBegin), std::pair(3, event::kSliceEnd)}) {
    packets.Add([&](MessageWriter& p) {
      p.Uint(packet::kTimestamp, static_cast<uint64_t>(delta));
      p.Uint(packet::kSequenceId, 1);
      const size_t mark = p.Begin(packet::kTrackEvent);
      p.Uint(event::kType, type);
      p.Bytes(event::kName, "x");
      p.End(mark);
    });
  }
  const Trace trace = Read(packets.bytes());
  EXPECT_THAT(Spans(trace), ElementsAre("x 5007000+3000"));
  EXPECT_EQ(trace.base_time_ns, 1'700'000'000'000'000);
  EXPECT_EQ(trace.tracks[static_cast<size_t>(trace.spans.track[0])].tid.number, 11);
}

TEST(PerfettoReader, ReadsCountersAndExtraCounters) {
  Packets packets;
  packets.Thread(1, 10, 11);
  for (const uint64_t uuid : {uint64_t{20}, uint64_t{21}}) {
    packets.Add([&](MessageWriter& p) {
      const size_t descriptor = p.Begin(packet::kTrackDescriptor);
      p.Uint(track::kUuid, uuid);
      p.Uint(track::kParentUuid, 1);
      p.Bytes(track::kName, uuid == 20 ? "power" : "bytes");
      const size_t mark = p.Begin(track::kCounter);
      if (uuid == 21) p.Uint(counter::kIsIncremental, 1);
      p.End(mark);
      p.End(descriptor);
    });
  }
  packets.Event(5, 20, event::kCounter,
                [](MessageWriter& p) { p.Double(event::kDoubleCounterValue, 1.5); });
  for (const uint64_t time : {uint64_t{6}, uint64_t{7}}) {
    packets.Event(time, 1, event::kInstant, [](MessageWriter& p) {
      p.Bytes(event::kName, "tick");
      p.Uint(event::kExtraCounterTracks, 21);
      p.Int(event::kExtraCounterValues, 3);
    });
  }
  const Trace trace = Read(packets.bytes());
  ASSERT_EQ(trace.counters.size(), 3U);
  EXPECT_EQ(trace.Text(trace.counters.name[0]), "power");
  EXPECT_EQ(trace.counters.value[0], 1.5);
  EXPECT_EQ(trace.counters.value[1], 3);
  EXPECT_EQ(trace.counters.value[2], 6);
  EXPECT_EQ(trace.instants.size(), 2U);
}

TEST(PerfettoReader, ReadsOldEvents) {
  Packets packets;
  packets.Add([](MessageWriter& p) {
    p.Uint(packet::kSequenceId, 9);
    const size_t mark = p.Begin(packet::kThreadDescriptor);
    p.Int(thread::kPid, 10);
    p.Int(thread::kTid, 11);
    p.Int(thread::kReferenceTimestampUs, 1000);
    p.End(mark);
  });
  packets.Add([](MessageWriter& p) {
    p.Uint(packet::kSequenceId, 9);
    const size_t mark = p.Begin(packet::kTrackEvent);
    p.Int(event::kTimestampDeltaUs, 5);
    p.Bytes(event::kName, "whole");
    const size_t legacy_mark = p.Begin(event::kLegacyEvent);
    p.Int(legacy::kPhase, 'X');
    p.Int(legacy::kDurationUs, 2);
    p.End(legacy_mark);
    p.End(mark);
  });
  const Trace trace = Read(packets.bytes());
  EXPECT_THAT(Spans(trace), ElementsAre("whole 1005000+2000"));
  EXPECT_EQ(trace.tracks[static_cast<size_t>(trace.spans.track[0])].pid.number, 10);
}

TEST(PerfettoReader, ReadsCompressedPackets) {
  const std::string inner =
      Packets().Thread(1, 10, 11).Begin(1, 1, "packed", "cpu_op").End(4, 1).bytes();
  std::string packed(compressBound(inner.size()), '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(inner.data()), inner.size()),
            Z_OK);
  packed.resize(size);
  const auto wrap = [](std::string_view content) {
    return Packets()
        .Add([&](MessageWriter& p) { p.Bytes(packet::kCompressedPackets, content); })
        .bytes();
  };
  EXPECT_TRUE(IsPerfettoTrace(wrap(packed)));
  EXPECT_THAT(Spans(Read(wrap(packed))), ElementsAre("packed 1+3"));
  // Damage inside, and a packet that packs itself.
  const Trace cut = Read(wrap(std::string_view(packed).substr(0, packed.size() / 2)));
  EXPECT_EQ(cut.diagnostics.Count(DiagnosticKind::kCorruptCompression), 1U);
}

TEST(PerfettoReader, KnowsItselfFromOtherProtocolBuffers) {
  EXPECT_TRUE(IsPerfettoTrace(Packets().Thread(1, 10, 11).bytes()));
  // pprof: sample_type { type: 1, unit: 2 }, then samples.
  EXPECT_FALSE(
      IsPerfettoTrace(std::string_view("\x0a\x04\x08\x01\x10\x02\x12\x03\x0a\x01\x05", 11)));
  EXPECT_FALSE(IsPerfettoTrace("\n{\"traceEvents\": []}"));
  EXPECT_FALSE(IsPerfettoTrace("\n[]"));
  EXPECT_FALSE(IsPerfettoTrace(""));
  EXPECT_FALSE(IsPerfettoTrace("\n"));
}

std::string Sample() {
  return Converted(
      R"({"schemaVersion": 1, "traceEvents": [
      {"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"python"}},
      {"ph":"X","cat":"cuda_runtime","name":"launch","pid":7,"tid":8,"ts":10,"dur":5,"args":{"correlation":3}},
      {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"correlation":3,"grid":[1,2,3]}},
      {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":22,"dur":5},
      {"ph":"s","cat":"ac2g","name":"ac2g","id":3,"pid":7,"tid":8,"ts":10},
      {"ph":"f","cat":"ac2g","name":"ac2g","id":3,"pid":0,"tid":7,"ts":20,"bp":"e"},
      {"ph":"f","cat":"ac2g","name":"odd","id":3,"pid":0,"tid":7,"ts":20},
      {"ph":"C","name":"c","pid":0,"ts":4,"args":{"v":1}},
      {"ph":"i","name":"[memory]","pid":7,"tid":8,"ts":3,"s":"t","args":{"Bytes":5}}]})",
      true);
}

TEST(PerfettoReader, ReadsEveryTruncation) {
  const std::string whole = Sample();
  size_t most = 0;
  for (size_t size = 0; size <= whole.size(); ++size) {
    const auto source = OpenMemory(std::string_view(whole).substr(0, size));
    const Result<Trace> trace = ReadPerfetto(*source);
    if (!trace) {
      EXPECT_EQ(trace.error().code, ErrorCode::kUnreadable);
      continue;
    }
    EXPECT_GE(trace->source.events, most) << size;
    most = trace->source.events;
  }
  EXPECT_EQ(most, Read(whole).source.events);
}

TEST(PerfettoReader, ChunksMakeNoDifference) {
  const std::string whole = Sample();
  EXPECT_EQ(DumpTrace(Read(whole, 1)), DumpTrace(Read(whole)));
}

TEST(PerfettoReader, BelievesNoLength) {
  // A packet of 2^60 bytes, one of 2 GiB, one that ends inside a field, a group.
  for (const std::string_view head :
       {std::string_view("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x10zz", 12),
        std::string_view("\x0a\x80\x80\x80\x80\x08zz", 8)}) {
    const std::string bytes = Sample() + std::string(head);
    const Trace trace = Read(bytes);
    EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kTruncated), 1U);
    EXPECT_EQ(trace.spans.size(), 3U);
  }
  const Trace inside = Read(Sample() + std::string("\x0a\x04\x5a\x7f\x01\x02", 6));
  EXPECT_EQ(inside.diagnostics.Count(DiagnosticKind::kMalformedEvent), 1U);
  const std::string grouped = Sample() + "\x0b" + std::string(1000, 'x');
  const Trace group = Read(grouped, 7);
  EXPECT_EQ(group.diagnostics.Count(DiagnosticKind::kSkippedText), 1U);
  EXPECT_EQ(group.source.decoded_bytes, grouped.size());
}

TEST(PerfettoReader, NestsAnnotationsOnlySoFar) {
  std::string value;
  MessageWriter innermost;
  innermost.Int(annotation::kInt, 1);
  value = innermost.bytes();
  for (int depth = 0; depth < 5000; ++depth) {
    MessageWriter outer;
    outer.Bytes(annotation::kArrayValues, value);
    value = outer.bytes();
  }
  const Trace trace = Read(Packets()
                               .Thread(1, 10, 11)
                               .Event(1, 1, event::kInstant,
                                      [&](MessageWriter& p) {
                                        p.Bytes(event::kName, "deep");
                                        p.Bytes(event::kAnnotations, value);
                                      })
                               .bytes());
  EXPECT_EQ(trace.instants.size(), 1U);
}

}  // namespace
}  // namespace telltale
