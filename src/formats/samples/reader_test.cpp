// SPDX-License-Identifier: Apache-2.0
#include "formats/samples/reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/function_dump.h"
#include "formats/registry.h"
#include "formats/samples/writer.h"

namespace telltale {
namespace {

using testing::HasSubstr;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 1'700'000'000'000'000'000;

// Two threads, three seconds; a function is new in the second one.
struct Recorded {
  SamplesWriter writer{kStart, 10 * kMs};
  std::string blocks[3];

  Recorded() {
    const uint32_t main = writer.AddThread(7, 7, "MainThread");
    const uint32_t module =
        writer.Child(SamplesWriter::kNoNode, writer.FunctionOf("a.py", 1, "<module>"));
    const uint32_t step = writer.Child(module, writer.FunctionOf("a.py", 10, "step"));
    writer.Add(main, step, SampleState::kHoldsGil, 12, 10 * kMs);
    writer.Add(main, step, SampleState::kHoldsGil, 12, 10 * kMs);
    writer.Add(main, step, SampleState::kNative, 13, 30 * kMs);
    blocks[0] = writer.TakeBlock(0, 1000 * kMs);
    const uint32_t worker = writer.AddThread(7, 9, "thread 9");
    const uint32_t load =
        writer.Child(SamplesWriter::kNoNode, writer.FunctionOf("b.py", 5, "load"));
    writer.Add(worker, load, SampleState::kWaiting, 6, 40 * kMs);
    writer.Add(main, module, SampleState::kHoldsGil, 2, 5 * kMs);
    blocks[1] = writer.TakeBlock(1000 * kMs, 2000 * kMs);
    writer.Add(worker, load, SampleState::kUnknown, 0, 7 * kMs);
    writer.AddTorn();
    blocks[2] = writer.TakeBlock(2000 * kMs, 3000 * kMs);
  }
  [[nodiscard]] std::string whole() const { return blocks[0] + blocks[1] + blocks[2]; }
};

FunctionProfile Read(std::string_view text) {
  Result<FunctionProfile> profile = ReadFunctions(SamplesFormat(), text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

TEST(Samples, GiveWhatEachPathTook) {
  const FunctionProfile profile = Read(Recorded().whole());
  EXPECT_EQ(profile.unit, ValueUnit::kNanoseconds);
  EXPECT_EQ(profile.start_ns, kStart);
  EXPECT_EQ(profile.source.events, 6U);
  EXPECT_EQ(PathsOf(profile),
            "<module> (a.py:1) 5000000\n"
            "<module> (a.py:1);step (a.py:10) 20000000\n"
            "<module> (a.py:1);step (a.py:10);<native code without the GIL> 30000000\n"
            "load (b.py:5) 7000000\n"
            "load (b.py:5);<waiting> 40000000\n");
  EXPECT_EQ(profile.threads, (std::vector<std::string>{"MainThread", "thread 9"}));
  EXPECT_THAT(profile.diagnostics.entries().at(0).detail, HasSubstr("1 looks at a thread"));
}

TEST(Samples, KeepTheTimeOfEachSecond) {
  const FunctionProfile profile = Read(Recorded().whole());
  ASSERT_EQ(profile.timeline.size(), 5U);
  EXPECT_EQ(profile.timeline[0].start, 0);
  EXPECT_EQ(profile.timeline[0].length, 20 * kMs);
  EXPECT_EQ(profile.timeline[1].start, 20 * kMs) << "one behind the other";
  EXPECT_EQ(profile.timeline[2].start, 1000 * kMs) << "a thread that begins later";
  EXPECT_EQ(profile.timeline[4].start, 2000 * kMs);
  ASSERT_EQ(profile.slots.size(), 3U);
  EXPECT_EQ(profile.slots[1].start, 1000 * kMs);
  EXPECT_EQ(profile.slots[1].end, 2000 * kMs);
  EXPECT_EQ(profile.slots[1].first, 2U);
  EXPECT_EQ(profile.slots[2].first, 4U);
  EXPECT_EQ(profile.thread_starts, (std::vector<int64_t>{0, 0}))
      << "all count from the file's start";
}

TEST(Samples, KnowTheLineThatEachWasIn) {
  const FunctionProfile profile = Read(Recorded().whole());
  EXPECT_EQ(profile.lines, (std::vector<uint32_t>{12, 13, 2, 6, 0}));
}

TEST(Samples, ACutFileHasItsWholeBlocks) {
  const Recorded recorded;
  const std::string whole = recorded.whole();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto profile = ReadFunctions(SamplesFormat(), std::string_view(whole).substr(0, size));
    if (size < recorded.blocks[0].size()) {
      EXPECT_FALSE(profile) << size;
      continue;
    }
    ASSERT_TRUE(profile) << size;
    EXPECT_EQ(CheckFunctions(*profile), "");
    const size_t blocks = size < recorded.blocks[0].size() + recorded.blocks[1].size() ? 1 : 2;
    EXPECT_EQ(profile->source.events, blocks == 1 ? 3U : 5U) << size;
    const bool at_a_block = size == recorded.blocks[0].size() ||
                            size == recorded.blocks[0].size() + recorded.blocks[1].size();
    EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kCutRecord), at_a_block ? 0U : 1U) << size;
  }
}

TEST(Samples, ALostBlockCostsItsOwnSamplesOnly) {
  const Recorded recorded;
  std::string damaged = recorded.whole();
  char& byte = damaged[recorded.blocks[0].size() + 20];
  byte = static_cast<char>(~byte);
  const FunctionProfile profile = Read(damaged);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kBadChecksum), 1U);
  EXPECT_GT(profile.diagnostics.Count(DiagnosticKind::kLostBytes), 0U);
  EXPECT_EQ(profile.source.events, 3U) << "its thread was in the lost one, too";
  // What the third block is about is not known any more; it is counted.
  EXPECT_GT(profile.diagnostics.Count(DiagnosticKind::kUnknownFrame), 0U);
  EXPECT_EQ(PathsOf(profile),
            "<module> (a.py:1);step (a.py:10) 20000000\n"
            "<module> (a.py:1);step (a.py:10);<native code without the GIL> 30000000\n");
}

TEST(Samples, OneByteAtATimeIsTheSame) {
  const std::string whole = "junk" + Recorded().whole() + "TTS1\x05";
  ReadOptions tiny;
  tiny.block_bytes = 1;
  const auto once = ReadFunctions(SamplesFormat(), whole);
  const auto bytes = ReadFunctions(SamplesFormat(), whole, 1, tiny);
  ASSERT_TRUE(once && bytes);
  EXPECT_EQ(DumpFunctions(*once), DumpFunctions(*bytes));
}

TEST(Samples, AreKnownByTheirFirstBytes) {
  const std::string whole = Recorded().whole();
  ASSERT_NE(FindFormat(whole, ""), nullptr);
  EXPECT_EQ(FindFormat(whole, "")->name, "samples");
  EXPECT_FALSE(ReadFunctions(SamplesFormat(), "TTS1 and then prose, which is none"));
}

TEST(SamplesWriter, SaysNothingWhenNothingWasSeen) {
  SamplesWriter writer(kStart, 10 * kMs);
  EXPECT_EQ(writer.TakeBlock(0, 1000 * kMs), "");
  const Recorded recorded;
  EXPECT_LT(recorded.blocks[2].size(), 40U) << "what is known is not said again";
}

TEST(SamplesWriter, TellsPathsApartUpToALimit) {
  SamplesWriter writer(kStart, 10 * kMs);
  const uint32_t function = writer.FunctionOf("a.py", 1, "f");
  uint32_t node = SamplesWriter::kNoNode;
  size_t depth = 0;
  for (; depth < 1'000'000; ++depth) {
    const uint32_t child = writer.Child(node, function);
    if (child == SamplesWriter::kNoNode) break;
    node = child;
  }
  EXPECT_EQ(depth, 500'000U);
  EXPECT_EQ(writer.Child(SamplesWriter::kNoNode, function), 0U) << "those that are known stay";
}

}  // namespace
}  // namespace telltale
