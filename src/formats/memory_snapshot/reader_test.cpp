// SPDX-License-Identifier: Apache-2.0
#include "formats/memory_snapshot/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/memory_dump.h"

namespace telltale {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSnapshot = R"({
 "segments": [
  {"device": 1, "address": 1000, "total_size": 2097152, "stream": 0, "segment_type": "small",
   "allocated_size": 1024, "active_size": 1536, "requested_size": 1000, "is_expandable": false,
   "blocks": [
    {"address": 1000, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": [
      {"name": "empty", "filename": "/usr/lib/python3/site-packages/torch/_ops.py", "line": 3},
      {"name": "forward", "filename": "/home/me/train.py", "line": 12},
      {"name": "main", "filename": "/home/me/train.py", "line": 99}]},
    {"size": 512, "state": "active_awaiting_free", "frames": []},
    {"size": 2095616, "state": "inactive"}]}],
 "device_traces": [[], [
  {"action": "segment_alloc", "addr": 1000, "size": 2097152, "stream": 0, "time_us": 10, "frames": []},
  {"action": "alloc", "addr": 1000, "size": 1000, "stream": 0, "time_us": 11,
   "frames": [{"name": "op", "filename": "??", "line": 0}]},
  {"action": "free_requested", "addr": 5000, "size": 77, "stream": 0, "time_us": 12, "frames": []},
  {"action": "free_completed", "addr": 5000, "size": 77, "stream": 0, "time_us": 13, "frames": []},
  {"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": 14, "frames": []},
  {"action": "oom", "addr": 0, "size": 123456789, "stream": 0, "time_us": 15, "device_free": 9, "frames": []}]],
 "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "roundup_power2_divisions": {"1": 0}},
 "external_annotations": []
})";

TEST(MemorySnapshot, IsToldFromOtherObjects) {
  const auto matches = [](std::string_view head) {
    return MemorySnapshotFormat().matches(head, "");
  };
  EXPECT_TRUE(matches(kSnapshot));
  EXPECT_TRUE(matches(kSnapshot.substr(0, 200)));
  EXPECT_TRUE(matches(R"({"segments": [], "device_traces": []})"));
  EXPECT_FALSE(matches(R"({"segments": []})"));
  EXPECT_FALSE(matches(R"({"traceEvents": [], "segments": [{"total_size": 1}]})"));
  EXPECT_FALSE(matches(R"({"profiles": []})"));
  EXPECT_FALSE(matches(""));
}

TEST(MemorySnapshot, ReadsSegmentsBlocksAndHistory) {
  const Result<MemoryProfile> profile = ReadMemory(MemorySnapshotFormat(), kSnapshot);
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_TRUE(profile->diagnostics.empty());
  ASSERT_EQ(profile->devices.size(), 1U);
  EXPECT_EQ(profile->devices[0].id, 1);
  ASSERT_EQ(profile->segments.size(), 1U);
  EXPECT_EQ(profile->segments[0].total_bytes, 2097152);
  ASSERT_EQ(profile->blocks.size(), 3U);
  EXPECT_EQ(profile->blocks[0].requested_bytes, 1000);
  // torch's own frames are passed over.
  EXPECT_EQ(profile->Text(profile->blocks[0].frame), "/home/me/train.py:12 forward");
  EXPECT_EQ(profile->blocks[1].address, 2024U);  // follows the block before it
  EXPECT_EQ(profile->blocks[1].state, BlockState::kAwaitingFree);
  EXPECT_EQ(profile->blocks[2].frame, kNoString);
  const MemoryActionTable& actions = profile->actions;
  ASSERT_EQ(actions.size(), 5U);
  EXPECT_EQ(actions.action[0], MemoryAction::kReserve);
  EXPECT_EQ(actions.time_ns[1], 11'000);
  EXPECT_EQ(profile->Text(actions.frame[1]), "?? op");
  EXPECT_EQ(actions.action[4], MemoryAction::kOutOfMemory);
}

TEST(MemorySnapshot, OldBlocksHaveTheirFramesInTheHistory) {
  const Result<MemoryProfile> profile =
      ReadMemory(MemorySnapshotFormat(), R"({"segments": [{"device": 0, "address": 8,
      "total_size": 512, "blocks": [{"size": 512, "state": "active_allocated", "history": [
      {"addr": 8, "real_size": 500, "frames": [{"name": "f", "filename": "a.py", "line": 1}]},
      {"addr": 8, "real_size": 300, "frames": [{"name": "g", "filename": "b.py", "line": 2}]}]}]}]})");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->blocks[0].requested_bytes, 500);
  EXPECT_EQ(profile->Text(profile->blocks[0].frame), "a.py:1 f");
}

TEST(MemorySnapshot, NamesOwnCodeAsTheRestOfTheProgramDoes) {
  const auto frame_of = [](std::string_view library) {
    const std::string text = R"({"segments": [{"device": 0, "address": 8, "total_size": 512,
      "blocks": [{"size": 512, "state": "active_allocated", "frames": [
      {"name": "step", "filename": ")" +
                             std::string(library) + R"(", "line": 3},
      {"name": "main", "filename": "/home/me/torch/train.py", "line": 9}]}]}]})";
    const Result<MemoryProfile> profile = ReadMemory(MemorySnapshotFormat(), text);
    return profile ? std::string(profile->Text(profile->blocks[0].frame)) : "unreadable";
  };
  // An installed package, the standard library, torch run from its sources.
  for (const std::string_view library :
       {"/v/lib/python3.11/site-packages/lightning/loop.py", "/usr/lib/python3.11/threading.py",
        "/src/pytorch/torch/nn/modules/linear.py", "<frozen runpy>"}) {
    EXPECT_EQ(frame_of(library), "/home/me/torch/train.py:9 main") << library;
  }
  EXPECT_EQ(frame_of("/home/me/model.py"), "/home/me/model.py:3 step");
}

TEST(MemorySnapshot, CountsWhatMakesNoSense) {
  const Result<MemoryProfile> profile = ReadMemory(
      MemorySnapshotFormat(),
      R"({"segments": [7, {"device": -1, "blocks": [{"size": 1}]}, {"device": 0, "total_size": 8,
      "blocks": [3]}], "device_traces": [[{"action": "dance", "size": 1}, {"action": "alloc"}, 5,
      {"action": "alloc", "size": -4, "addr": 1}, {"action": "alloc", "size": 4, "addr": 1}], 6]})");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->segments.size(), 1U);
  EXPECT_TRUE(profile->blocks.empty());
  EXPECT_EQ(profile->actions.size(), 1U);
  EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kMalformedRecord), 8U);
}

TEST(MemorySnapshot, EveryCutGivesWhatWasThere) {
  size_t events = 0;
  for (size_t size = 0; size < kSnapshot.size() - 2; ++size) {
    const Result<MemoryProfile> cut = ReadMemory(MemorySnapshotFormat(), kSnapshot.substr(0, size));
    if (!cut) {
      EXPECT_EQ(events, 0U) << size;
      continue;
    }
    EXPECT_EQ(CheckMemory(*cut), "") << size;
    EXPECT_GE(cut->actions.size() + cut->blocks.size(), events) << size;
    events = cut->actions.size() + cut->blocks.size();
    EXPECT_EQ(cut->diagnostics.Count(DiagnosticKind::kTruncated), 1U) << size;
  }
  EXPECT_EQ(events, 8U);
}

TEST(MemorySnapshot, OneByteAtATimeGivesTheSame) {
  EXPECT_EQ(DumpMemory(*ReadMemory(MemorySnapshotFormat(), kSnapshot, 1)),
            DumpMemory(*ReadMemory(MemorySnapshotFormat(), kSnapshot)));
}

TEST(MemorySnapshot, HostileNumbersAndDepthAreHarmless) {
  std::string devices = R"({"segments": [)";
  for (int i = 0; i < 200; ++i)
    devices += R"({"device": )" + std::to_string(i) + R"(, "total_size": 1e300},)";
  devices.back() = ']';
  const Result<MemoryProfile> many = ReadMemory(MemorySnapshotFormat(), devices + "}");
  ASSERT_TRUE(many.has_value());
  EXPECT_EQ(many->devices.size(), 64U);
  EXPECT_EQ(many->diagnostics.Count(DiagnosticKind::kMalformedRecord), 136U);
  EXPECT_FALSE(ReadMemory(MemorySnapshotFormat(), R"({"segments": )" + std::string(100'000, '['))
                   .has_value());
}

TEST(MemorySnapshot, AnEmptyOneSaysWhatToDo) {
  const Result<MemoryProfile> empty =
      ReadMemory(MemorySnapshotFormat(), R"({"segments": [], "device_traces": [[]]})");
  ASSERT_FALSE(empty.has_value());
  EXPECT_THAT(empty.error().message, HasSubstr("_record_memory_history"));
}

}  // namespace
}  // namespace telltale
