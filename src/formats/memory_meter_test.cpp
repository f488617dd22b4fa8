// SPDX-License-Identifier: Apache-2.0
// Files of every format that hold more than they may: reading stops, and what was read is kept.
#include "formats/memory_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/protobuf.h"
#include "formats/load.h"
#include "formats/perfetto/fields.h"
#include "formats/pstats/writer.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using protobuf::MessageWriter;
using testing::HasSubstr;

constexpr size_t kLimit = size_t{1} << 20;
// More than the reader of traces reads ahead, while it joins what was before.
constexpr size_t kAheadBytes = size_t{8} << 20;
constexpr size_t kLargeBytes = kAheadBytes + kAheadBytes / 2;

// `head`, then `record(i)` until there is much more than kLimit can hold, then `tail`.
std::string Repeat(std::string_view head, const std::function<std::string(size_t)>& record,
                   std::string_view tail, std::string_view between = "",
                   size_t bytes = size_t{4} << 20) {
  std::string text(head);
  for (size_t i = 0; text.size() < bytes; ++i) {
    if (i > 0) text += between;
    text += record(i);
  }
  return text + std::string(tail);
}

std::string N(size_t number) { return std::to_string(number); }

std::string Kineto(const std::function<std::string(size_t)>& event) {
  return Repeat(R"({"traceEvents": [)", event, "]}", ",\n", kLargeBytes);
}

std::string Perfetto(const std::function<void(size_t, MessageWriter&)>& packet) {
  return Repeat(
      "",
      [&](size_t i) {
        MessageWriter inside;
        packet(i, inside);
        MessageWriter out;
        out.Bytes(perfetto::trace::kPacket, inside.bytes());
        return std::string(out.bytes());
      },
      "");
}

std::string PerfettoEvents() {
  return Perfetto([](size_t i, MessageWriter& packet) {
    packet.Uint(perfetto::packet::kTimestamp, i);
    packet.Uint(perfetto::packet::kSequenceId, 1);
    MessageWriter event;
    event.Uint(perfetto::event::kType,
               i % 2 == 0 ? perfetto::event::kSliceBegin : perfetto::event::kSliceEnd);
    event.Uint(perfetto::event::kTrackUuid, 1);
    if (i % 2 == 0) event.Bytes(perfetto::event::kName, "step");
    packet.Bytes(perfetto::packet::kTrackEvent, event.bytes());
  });
}

std::string PerfettoTracks() {
  return Perfetto([](size_t i, MessageWriter& packet) {
    packet.Uint(perfetto::packet::kTimestamp, i);
    packet.Uint(perfetto::packet::kSequenceId, i + 1);
    MessageWriter event;
    event.Uint(perfetto::event::kType, perfetto::event::kInstant);
    event.Uint(perfetto::event::kTrackUuid, i + 1);
    event.Bytes(perfetto::event::kName, "mark");
    packet.Bytes(perfetto::packet::kTrackEvent, event.bytes());
  });
}

// Samples of distinct locations; no texts: those stand at a file's end.
std::string Pprof() {
  MessageWriter head;
  MessageWriter type;
  type.Uint(1, 1);
  type.Uint(2, 2);
  head.Bytes(1, type.bytes());
  for (const std::string_view text : {"", "cpu", "nanoseconds"}) head.Bytes(6, text);
  return Repeat(
      head.bytes(),
      [](size_t i) {
        MessageWriter sample;
        sample.Uint(1, i + 1);
        sample.Uint(2, 5);
        MessageWriter location;
        location.Uint(1, i + 1);
        location.Uint(3, i * 16);
        MessageWriter out;
        out.Bytes(2, sample.bytes());
        out.Bytes(4, location.bytes());
        return std::string(out.bytes());
      },
      "");
}

std::string Pstats() {
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  CallTreeBuilder builder(profile);
  for (size_t i = 0; i < 100'000; ++i) {
    builder.FunctionOf("/home/ann/train.py", static_cast<int64_t>(i), "function" + N(i));
    profile.totals.push_back({});
  }
  return WritePstats(profile).value();
}

struct Case {
  std::string what;
  std::string file;
  std::function<std::string()> content;
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.what; }

const Case kCases[] = {
    {"Spans", "a.json",
     [] {
       return Kineto([](size_t i) {
         return R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":)" + N(i) +
                R"(,"dur":1})";
       });
     }},
    {"DistinctNames", "a.json",
     [] {
       return Kineto([](size_t i) {
         return R"({"ph":"X","name":")" + N(i) + R"(","pid":1,"tid":1,"ts":1,"dur":1})";
       });
     }},
    {"DistinctThreads", "a.json",
     [] {
       return Kineto([](size_t i) {
         return R"({"ph":"X","name":"a","pid":)" + N(i) + R"(,"tid":1,"ts":1,"dur":1})";
       });
     }},
    {"BeginsAndEnds", "a.json",
     [] {
       return Kineto([](size_t i) {
         return R"({"ph":")" + std::string(i % 2 == 0 ? "B" : "E") +
                R"(","name":"a","pid":1,"tid":1,"ts":)" + N(i) + "}";
       });
     }},
    {"Counters", "a.json",
     [] {
       return Kineto([](size_t i) {
         return R"({"ph":"C","name":"a","pid":1,"ts":)" + N(i) + R"(,"args":{"x":1,"y":2}})";
       });
     }},
    {"Metadata", "a.json",
     [] {
       return Repeat(
           R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}],)",
           [](size_t i) { return "\"k" + N(i) + "\":1"; }, "}", ",", kLargeBytes);
     }},
    {"PerfettoEvents", "a.pftrace", PerfettoEvents},
    {"PerfettoTracks", "a.pftrace", PerfettoTracks},
    {"Collapsed", "a.txt",
     [] { return Repeat("", [](size_t i) { return "main;f" + N(i) + " 3\n"; }, ""); }},
    {"PerfScript", "a.txt",
     [] {
       return Repeat(
           "",
           [](size_t i) {
             return "python3 4711 80.1:    1000000 cpu-clock:pppH: \n\t          5f2a10 f" + N(i) +
                    "+0x41 (/usr/lib/libblas.so.3)\n\n";
           },
           "");
     }},
    {"ImportTime", "a.log",
     [] {
       return Repeat(
           "import time: self [us] | cumulative | imported package\n",
           [](size_t i) { return "import time:  120 |  120 |   m" + N(i) + "\n"; }, "");
     }},
    {"LightningSimple", "a.txt",
     [] {
       return Repeat(
           "FIT Profiler Report\n\n-----\n|  Action  |  Mean duration (s)  |  Num calls  "
           "|  Total time (s)  |  Percentage %  |\n-----\n",
           [](size_t i) { return "|  a" + N(i) + "  |  1.5  |  2  |  3.0  |  5  |\n"; }, "");
     }},
    {"LightningAdvanced", "a.txt",
     [] {
       return Repeat(
           "Profile stats for: step\n         480 function calls in 0.730 seconds\n\n   "
           "ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n",
           [](size_t i) {
             return "        1    0.100    0.100    0.200    0.200 train.py:" + N(i) + "(f)\n";
           },
           "");
     }},
    {"PyinstrumentTree", "a.json",
     [] {
       return Repeat(
           R"({"start_time": 1.5,"duration": 1,"sample_count": 2,"cpu_time": 0.2,)"
           R"("root_frame": {"function": "<module>","time": 2,"children": [)",
           [](size_t i) { return R"({"function":"f)" + N(i) + R"(","time":0.1})"; }, "]}}", ",");
     }},
    {"SpeedscopeEvents", "a.json",
     [] {
       return Repeat(
           R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)"
           R"("profiles":[{"type":"evented","name":"a","events":[)",
           [](size_t i) {
             return R"({"type":")" + std::string(i % 2 == 0 ? "O" : "C") + R"(","frame":0,"at":)" +
                    N(i) + "}";
           },
           R"(],"unit":"nanoseconds"}]})", ",");
     }},
    {"SpeedscopeFrames", "a.json",
     [] {
       return Repeat(
           R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)"
           R"("profiles":[{"type":"sampled","name":"a","unit":"none","samples":[[0]],)"
           R"("weights":[1]}],"shared":{"frames":[)",
           [](size_t i) { return R"({"name":"f)" + N(i) + "\"}"; }, "]}}", ",");
     }},
    {"SpeedscopeSamples", "a.json",
     [] {
       return Repeat(
           R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)"
           R"("profiles":[{"type":"sampled","name":"a","unit":"none","samples":[)",
           [](size_t i) { return "[" + N(i % 100) + "]"; }, R"(],"weights":[1]}]})", ",");
     }},
    {"Pprof", "a.pb", Pprof},
    {"Pstats", "a.prof", Pstats},
    {"MemoryTimeline", "a.json",
     [] { return Repeat("[", [](size_t i) { return "[" + N(i) + ", 2, 512, 1]"; }, "]", ", "); }},
    {"MemorySnapshot", "a.json",
     [] {
       return Repeat(
           R"({"segments": [], "device_traces": [[)",
           [](size_t i) {
             return R"({"action":"alloc","addr":1,"size":512,"time_us":)" + N(i) + "}";
           },
           "]]}", ",");
     }},
    {"MemorySnapshotBlocks", "a.json",
     [] {
       return Repeat(
           R"({"device_traces": [], "segments": [{"device":0,"total_size":5,"blocks":[)",
           [](size_t i) { return R"({"size":512,"address":)" + N(i) + "}"; }, "]}]}", ",");
     }},
};

Result<Subject> LoadAll(const std::vector<std::string>& paths, const LoadOptions& options) {
  std::vector<InputFile> files;
  for (const std::string& path : paths) files.push_back({path, "", std::nullopt, std::nullopt});
  return LoadFiles(files, {}, options);
}

class MemoryLimit : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "telltale_meter_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    top_ = folder;
  }
  void TearDown() override { fs::remove_all(top_); }

  [[nodiscard]] std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(top_ / name, std::ios::binary) << content;
    return (top_ / name).string();
  }
  static Result<Subject> Load(const std::vector<std::string>& paths, MemoryMeter* meter) {
    LoadOptions options;
    options.memory = meter;
    return LoadAll(paths, options);
  }
  // Of the one artifact, of whatever kind.
  static const ProfileSource& SourceOf(const Subject& subject) {
    return subject.artifacts()[0]->source();
  }
  static const Diagnostics& DiagnosticsOf(const Subject& subject) {
    return subject.artifacts()[0]->diagnostics();
  }

  fs::path top_;
};

TEST_P(MemoryLimit, KeepsWhatWasReadBeforeAndSaysWhy) {
  const std::string path = Write(GetParam().file, GetParam().content());
  MemoryMeter meter(kLimit);
  const Result<Subject> loaded = Load({path}, &meter);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Diagnostics& diagnostics = DiagnosticsOf(*loaded);
  ASSERT_EQ(diagnostics.Count(DiagnosticKind::kMemoryLimit), 1U);
  EXPECT_EQ(diagnostics.Count(DiagnosticKind::kTruncated), 0U);
  EXPECT_EQ(diagnostics.Count(DiagnosticKind::kGrowing), 0U);
  for (const Diagnostic& diagnostic : diagnostics.entries()) {
    if (diagnostic.kind != DiagnosticKind::kMemoryLimit) continue;
    EXPECT_THAT(diagnostic.detail, HasSubstr(" of " + N(fs::file_size(path)) + " bytes"));
    EXPECT_THAT(diagnostic.detail, HasSubstr("--memory-budget"));
    EXPECT_GT(diagnostic.first_offset.value_or(0), 0U);
    EXPECT_LT(*diagnostic.first_offset, fs::file_size(path));
  }
  EXPECT_GT(SourceOf(*loaded).events, 0U);
  // Nothing takes more than ten times its text.
  EXPECT_LT(meter.held_bytes(), kLimit + 10 * kAheadBytes);
}

TEST_P(MemoryLimit, IsNotMetByWhatFits) {
  const std::string path = Write(GetParam().file, GetParam().content());
  MemoryMeter meter(size_t{4} << 30);
  const Result<Subject> loaded = Load({path}, &meter);
  const Result<Subject> without = Load({path}, nullptr);
  ASSERT_TRUE(loaded && without);
  EXPECT_EQ(DiagnosticsOf(*loaded).Count(DiagnosticKind::kMemoryLimit), 0U);
  EXPECT_EQ(SourceOf(*loaded).events, SourceOf(*without).events);
  EXPECT_EQ(SourceOf(*loaded).decoded_bytes, SourceOf(*without).decoded_bytes);
  EXPECT_GT(meter.held_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Formats, MemoryLimit, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.what; });

using MemoryLimitOfFiles = MemoryLimit;

TEST_P(MemoryLimitOfFiles, IsOneForAllOfThem) {
  std::vector<std::string> paths;
  for (int i = 0; i < 8; ++i) {
    paths.push_back(Write("rank" + std::to_string(i) + ".json", GetParam().content()));
  }
  MemoryMeter meter(kLimit);
  LoadOptions options;
  options.memory = &meter;
  options.threads = 2;
  const Result<Subject> loaded = LoadAll(paths, options);
  ASSERT_TRUE(loaded);
  ASSERT_FALSE(loaded->empty());
  ASSERT_FALSE(loaded->failures.empty());
  EXPECT_EQ(loaded->artifacts().size() + loaded->failures.size(), paths.size());
  // Two are read side by side; those behind them find nothing left.
  EXPECT_THAT(loaded->failures.back().message, HasSubstr("was not read"));
  EXPECT_THAT(loaded->failures.back().message, HasSubstr("--memory-budget"));
}

TEST_P(MemoryLimitOfFiles, IsNoLimitWhereTheFileEndsAnyway) {
  const std::string path =
      Write("a.json", R"({"traceEvents": [{"ph":"X","name":"a","ts":1,"dur":1}]})");
  const Result<Subject> without = Load({path}, nullptr);
  ASSERT_TRUE(without);
  // Full as soon as anything is there: when the file is at its end.
  MemoryMeter meter(1);
  const Result<Subject> loaded = Load({path}, &meter);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(meter.full());
  EXPECT_TRUE(DiagnosticsOf(*loaded).empty());
}

INSTANTIATE_TEST_SUITE_P(Files, MemoryLimitOfFiles, testing::Values(kCases[0]),
                         [](const auto& tested) { return tested.param.what; });

}  // namespace
}  // namespace telltale
