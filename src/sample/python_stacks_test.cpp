// SPDX-License-Identifier: Apache-2.0
#include "sample/python_stacks.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sample/code_objects.h"
#include "sample/synthetic_python.h"

namespace telltale {
namespace {

constexpr uint64_t VersionHex(unsigned minor) { return uint64_t{3} << 24 | uint64_t{minor} << 16; }

// As 3.13 and 3.14 publish them, with offsets of our own.
std::string TableOf(unsigned minor) {
  std::vector<uint64_t> words(kOffsetTableBytes / 8, 0);
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = VersionHex(minor) | 0xf0;
  const size_t interpreter = minor == 13 ? 0 : 1;  // words more, from threads.main on
  const size_t thread = minor == 13 ? 0 : 3;       // and the generations of code
  const size_t code = minor == 13 ? 0 : 5;         // and two of a frame
  words[5] = 632;
  words[8] = 7264;
  words[9] = 7344;
  words[14 + interpreter] = 7000;  // ceval.gil
  words[15 + interpreter] = 9000;  // the own one
  words[17 + interpreter] = 9016;
  words[18 + interpreter] = 9008;
  words[21 + thread] = 8;
  words[23 + thread] = 72;
  words[24 + thread] = 152;
  words[25 + thread] = 160;
  words[29 + thread] = 8;  // previous
  words[30 + thread] = 0;  // executable
  words[31 + thread] = 56;
  words[33 + thread] = 70;
  words[35 + code] = 112;
  words[36 + code] = 120;
  words[38 + code] = 136;
  words[39 + code] = 68;
  words[43 + code] = 200;
  return {reinterpret_cast<const char*>(words.data()), kOffsetTableBytes};
}

PythonLayout LayoutOf(unsigned minor) {
  if (minor < 13) return *LayoutOfVersion(VersionHex(minor));
  return **LayoutFromTable(TableOf(minor));
}

class EveryPython : public testing::TestWithParam<unsigned> {
 protected:
  EveryPython()
      : layout_(LayoutOf(GetParam())),
        python_(memory_, layout_),
        reader_(memory_, layout_, SyntheticPython::kRuntime),
        codes_(memory_, layout_, SyntheticPython::kCodeType) {}

  // "inner < outer" of each thread.
  std::vector<std::string> Read(StackReading expected = StackReading::kWhole) {
    size_t count = 0;
    EXPECT_EQ(reader_.Read(stacks_, count), expected);
    std::vector<std::string> out;
    for (size_t i = 0; i < count; ++i) {
      std::vector<CodeObject*> found;
      std::string text = stacks_[i].holds_gil ? "*" : "";
      if (!codes_.Find(stacks_[i].frames, found)) text += "torn";
      for (const CodeObject* code : found) {
        text += (code == found.front() ? "" : " < ") + code->name + "@" + code->file + ":" +
                std::to_string(code->first_line);
      }
      out.push_back(text);
    }
    return out;
  }

  PythonLayout layout_;
  SyntheticMemory memory_;
  SyntheticPython python_;
  PythonStackReader reader_;
  CodeObjects codes_;
  std::vector<PythonStack> stacks_;
};
INSTANTIATE_TEST_SUITE_P(Versions, EveryPython, testing::Values(9, 10, 11, 12, 13, 14));

TEST_P(EveryPython, ReadsTheStacksOfAllThreadsAndWhoHoldsTheGil) {
  const uint64_t main = python_.AddCode(U"/a/train.py", U"<module>", 1);
  const uint64_t step = python_.AddCode(U"/a/train.py", U"step", 40);
  const uint64_t load = python_.AddCode(U"/a/dätä.py", U"laden_\u4e16\U0001f600", 7);
  python_.AddThread(1, {step, main});
  python_.GiveGil(python_.AddThread(2, {load}));
  python_.AddThread(3, {});
  EXPECT_EQ(Read(), (std::vector<std::string>{"*laden_\u4e16\U0001f600@/a/dätä.py:7",
                                              "step@/a/train.py:40 < <module>@/a/train.py:1"}));
  if (layout_.native_thread_id != kNoOffset) {
    EXPECT_EQ(stacks_[1].thread, 1U);
  }
  python_.GiveGil(0);
  EXPECT_EQ(Read().front().front(), 'l');
}

TEST_P(EveryPython, RecursionIsReadWhole) {
  const uint64_t code = python_.AddCode(U"r.py", U"fall", 3);
  python_.AddThread(1, std::vector<uint64_t>(2000, code));
  memory_.reads = 0;
  size_t count = 0;
  EXPECT_EQ(reader_.Read(stacks_, count), StackReading::kWhole);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(stacks_[0].frames.size(), 2000U);
  EXPECT_FALSE(stacks_[0].is_cut);
  EXPECT_LT(memory_.reads, 100U) << "frames of a page are read with one call";
}

TEST_P(EveryPython, WhatIsTooDeepLosesItsOuterFrames) {
  const uint64_t code = python_.AddCode(U"r.py", U"fall", 3);
  python_.AddThread(1, std::vector<uint64_t>(kMostFrames + 10, code));
  size_t count = 0;
  EXPECT_EQ(reader_.Read(stacks_, count), StackReading::kWhole);
  EXPECT_EQ(stacks_[0].frames.size(), kMostFrames);
  EXPECT_TRUE(stacks_[0].is_cut);
}

TEST_P(EveryPython, ACircleOfFramesEnds) {
  const uint64_t code = python_.AddCode(U"r.py", U"f", 3);
  python_.AddThread(1, {code, code});
  python_.PutFrame(python_.last_frames()[1], code, python_.last_frames()[0]);
  size_t count = 0;
  EXPECT_EQ(reader_.Read(stacks_, count), StackReading::kWhole);
  EXPECT_TRUE(stacks_[0].is_cut);
}

TEST_P(EveryPython, MoreFramesThanThereCanBeAreTorn) {
  const uint64_t code = python_.AddCode(U"r.py", U"f", 3);
  for (uint64_t thread = 1; thread <= 2 * kMostFramesInAll / kMostFrames; ++thread) {
    python_.AddThread(thread, {code, code});
    python_.PutFrame(python_.last_frames()[1], code, python_.last_frames()[0]);
  }
  size_t count = 0;
  EXPECT_EQ(reader_.Read(stacks_, count), StackReading::kTorn);
  EXPECT_LE(count, kMostFramesInAll / kMostFrames);
}

TEST_P(EveryPython, ACircleOfThreadsEnds) {
  const uint64_t code = python_.AddCode(U"r.py", U"f", 3);
  const uint64_t first = python_.AddThread(1, {code});
  const uint64_t second = python_.AddThread(2, {code});
  memory_.Put<uint64_t>(first + layout_.next_thread, second);
  size_t count = 0;
  EXPECT_EQ(reader_.Read(stacks_, count), StackReading::kTorn);
  EXPECT_EQ(count, kMostThreads);
}

TEST_P(EveryPython, AFrameThatLeadsNowhereIsTorn) {
  const uint64_t code = python_.AddCode(U"r.py", U"f", 3);
  python_.AddThread(1, {code});
  python_.AddThread(2, {code});
  python_.PutFrame(python_.last_frames()[0], code, 0xdead0000);
  EXPECT_EQ(Read(StackReading::kTorn), std::vector<std::string>{"f@r.py:3"});
}

TEST_P(EveryPython, WhatIsNoCodeObjectIsTorn) {
  const uint64_t code = python_.AddCode(U"r.py", U"f", 3);
  python_.AddThread(1, {code});
  memory_.Put<uint64_t>(code + 8, 0x1234);
  EXPECT_EQ(Read(), std::vector<std::string>{"torn"});
}

TEST_P(EveryPython, AnAddressThatBecameAnotherFunctionIsReadAnew) {
  const uint64_t code = python_.AddCode(U"r.py", U"before", 3);
  python_.AddThread(1, {code});
  EXPECT_EQ(Read(), std::vector<std::string>{"before@r.py:3"});
  python_.PutCode(code, python_.AddText(U"s.py"), python_.AddText(U"after"), 9, python_.Place(64));
  EXPECT_EQ(Read(), std::vector<std::string>{"after@s.py:9"});
}

TEST_P(EveryPython, FramesOfTheInterpreterItselfAreLeftOut) {
  if (layout_.owner == kNoOffset) GTEST_SKIP() << "there are none before 3.12";
  const uint64_t code = python_.AddCode(U"r.py", U"f", 3);
  python_.AddThread(1, {code, code});
  python_.PutFrame(python_.last_frames()[0], 0, python_.last_frames()[1], 3);
  EXPECT_EQ(Read(), std::vector<std::string>{"f@r.py:3"});
}

TEST_P(EveryPython, NoInterpreterYetIsToldApart) {
  memory_.Put<uint64_t>(SyntheticPython::kRuntime + layout_.interpreters, 0);
  size_t count = 0;
  EXPECT_EQ(reader_.Read(stacks_, count), StackReading::kUnreadable);
}

// Any memory is survived, with a bounded amount of work.
TEST_P(EveryPython, RandomMemoryDoesNoHarm) {
  const uint64_t code = python_.AddCode(U"r.py", U"f", 3, "\x80\x01\x02");
  python_.AddThread(1, {code, code, code});
  python_.GiveGil(python_.AddThread(2, {code, code}));
  const std::map<uint64_t, std::string> good = memory_.pages;
  uint64_t state = GetParam();
  const auto random = [&state](uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 100; ++round) {
    memory_.pages = good;
    for (uint64_t change = 0; change < 1 + random(40); ++change) {
      auto page = memory_.pages.begin();
      std::advance(page, static_cast<std::ptrdiff_t>(random(memory_.pages.size())));
      const uint64_t at = random(SyntheticMemory::kPageBytes / 8) * 8;
      // Often an address that there is.
      const uint64_t value =
          random(3) == 0 ? random(UINT32_MAX) * random(UINT32_MAX) : 0x1000000 + random(0x4000) * 8;
      std::memcpy(page->second.data() + at, &value, sizeof value);
    }
    size_t count = 0;
    (void)reader_.Read(stacks_, count);
    for (size_t i = 0; i < count; ++i) {
      std::vector<CodeObject*> found;
      if (!codes_.Find(stacks_[i].frames, found)) continue;
      for (const PythonFrame& frame : stacks_[i].frames) (void)codes_.LineOf(frame);
    }
  }
}

TEST(CodeObjects, GivesTheLineOfTheInnermostFrame) {
  const PythonLayout layout = LayoutOf(12);
  SyntheticMemory memory;
  SyntheticPython python(memory, layout);
  // Two instructions in the first line, then one three lines further on.
  const char lines[] = {static_cast<char>(0x80 | 13 << 3 | 1), 0, static_cast<char>(0x80 | 13 << 3),
                        6};
  const uint64_t code = python.AddCode(U"l.py", U"f", 10, {lines, sizeof lines});
  python.AddThread(1, {code});
  CodeObjects codes(memory, layout, SyntheticPython::kCodeType);
  std::vector<CodeObject*> found;
  PythonFrame frame = {code, code + layout.instructions};
  ASSERT_TRUE(codes.Find({&frame, 1}, found));
  EXPECT_EQ(codes.LineOf(frame), 10);
  frame.instruction += 4;
  EXPECT_EQ(codes.LineOf(frame), 13);
  frame.instruction = 5;
  EXPECT_EQ(codes.LineOf(frame), 10) << "an instruction that is not in it";
}

TEST(PythonLayout, SaysWhichVersionsItKnows) {
  EXPECT_FALSE(LayoutOfVersion(VersionHex(8)));
  EXPECT_FALSE(LayoutOfVersion(VersionHex(13))) << "it publishes its own";
  EXPECT_EQ(LayoutOfVersion(VersionHex(8)).error().message,
            "Python 3.8 is not one of those that can be sampled (3.9 to 3.14)");
  EXPECT_FALSE(LayoutFromTable(std::string(kOffsetTableBytes, '\0')).has_value());
  EXPECT_FALSE(LayoutFromTable("xdebugpy").has_value()) << "cut";
  EXPECT_FALSE(*LayoutFromTable(TableOf(15)));
}

TEST(PythonLayout, RefusesOffsetsThatMakeNoSense) {
  const std::string good = TableOf(13);
  for (size_t word = 5; word < 44; ++word) {
    std::string bad = good;
    const uint64_t value = uint64_t{1} << 60;
    std::memcpy(bad.data() + word * 8, &value, sizeof value);
    const auto layout = LayoutFromTable(bad);
    ASSERT_TRUE(layout.has_value());
    // Of the words that are not used nothing is asked.
    if (*layout) {
      EXPECT_EQ((*layout)->code, LayoutOf(13).code);
    }
  }
  std::string without_gil = good;
  without_gil[16] = 1;
  EXPECT_EQ(LayoutFromTable(without_gil)->error().message,
            "Python 3.13 without a GIL cannot be sampled");
}

}  // namespace
}  // namespace telltale
