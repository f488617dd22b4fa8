// SPDX-License-Identifier: Apache-2.0
#include "formats/speedscope/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/function_dump.h"
#include "formats/speedscope/writer.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFrames =
    R"("shared":{"frames":[{"name":"main","file":"job.py","line":5,"col":null},{"name":"f","file":"job.py","line":9},{"name":"thread","file":"","line":0}]})";

std::string File(const std::string& profiles, const std::string& more = "") {
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)" + more +
         R"("profiles":[)" + profiles + "]," + kFrames + "}";
}

std::string Events(const std::string& events, const std::string& unit = "milliseconds") {
  return R"({"type":"evented","name":"t","unit":")" + unit +
         R"(","startValue":0,"endValue":20,"events":[)" + events + "]}";
}

std::string Event(char type, int frame, const std::string& at) {
  return std::string(R"({"type":")") + type + R"(","frame":)" + std::to_string(frame) +
         R"(,"at":)" + at + "}";
}

const std::string kEvented =
    File(Events(Event('O', 0, "1.5") + "," + Event('O', 1, "2") + "," + Event('C', 1, "4") + "," +
                Event('O', 1, "4") + "," + Event('C', 1, "5") + "," + Event('C', 0, "7")));

const std::string kSampled = File(
    R"({"type":"sampled","name":"one","unit":"seconds","startValue":0,"endValue":0.06,"samples":[[2,0],[2,0,1],[2,0,1],[]],"weights":[0.02,0.01,0.02,0.01]},)"
    R"({"type":"sampled","name":"two","unit":"nanoseconds","startValue":0,"endValue":9,"samples":[[2,1]],"weights":[9]})");

FunctionProfile Read(std::string_view text) {
  Result<FunctionProfile> profile = ReadFunctions(SpeedscopeFormat(), text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

TEST(Speedscope, ReadsEvents) {
  const FunctionProfile profile = Read(kEvented);
  EXPECT_EQ(profile.unit, ValueUnit::kNanoseconds);
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 2500000\nmain (job.py:5);f (job.py:9) 3000000\n");
  EXPECT_EQ(profile.tree.calls[0], 1U);
  EXPECT_EQ(profile.tree.calls[1], 2U);
  EXPECT_THAT(profile.threads, ElementsAre("t"));
  ASSERT_EQ(profile.timeline.size(), 3U);
  EXPECT_EQ(profile.timeline[1].start, 500'000);
  EXPECT_EQ(profile.timeline[1].length, 3'000'000);
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Speedscope, ReadsSamplesOfSeveralThreads) {
  const FunctionProfile profile = Read(kSampled);
  EXPECT_EQ(PathsOf(profile),
            "thread;main (job.py:5) 20000000\n"
            "thread;main (job.py:5);f (job.py:9) 30000000\n"
            "thread;f (job.py:9) 9\n");
  EXPECT_THAT(profile.threads, ElementsAre("one", "two"));
  ASSERT_EQ(profile.timeline.size(), 3U);
  EXPECT_EQ(profile.timeline[2].thread, 1U);
  EXPECT_EQ(profile.timeline[2].start, 0);
  EXPECT_EQ(profile.tree.calls[0], kNoUint);
  EXPECT_EQ(profile.functions[0].file, kNoString);
  EXPECT_EQ(profile.functions[0].line, kNoInt);
}

TEST(Speedscope, OrderOfKeysDoesNotMatter) {
  const std::string profile = R"({"events":[)" + Event('O', 0, "1") + "," + Event('C', 0, "3") +
                              R"(],"type":"evented","unit":"microseconds","name":"t"})";
  EXPECT_EQ(PathsOf(Read("{\"profiles\":[" + profile + "]," + kFrames + "}")),
            "main (job.py:5) 2000\n");
  EXPECT_EQ(PathsOf(Read("{" + kFrames + ",\"profiles\":[" + profile + "]}")),
            "main (job.py:5) 2000\n");
}

TEST(Speedscope, KnowsAllUnits) {
  const std::pair<std::string, std::string> cases[] = {
      {"nanoseconds", "2"},      {"microseconds", "2000"}, {"milliseconds", "2000000"},
      {"seconds", "2000000000"}, {"bytes", "2"},           {"none", "2"}};
  for (const auto& [unit, value] : cases) {
    const FunctionProfile profile =
        Read(File(Events(Event('O', 0, "1") + "," + Event('C', 0, "3"), unit)));
    EXPECT_EQ(PathsOf(profile), "main (job.py:5) " + value + "\n") << unit;
    EXPECT_EQ(profile.unit, unit == "bytes"  ? ValueUnit::kBytes
                            : unit == "none" ? ValueUnit::kCount
                                             : ValueUnit::kNanoseconds);
  }
}

TEST(Speedscope, WithoutWeightsEachSampleCountsOnce) {
  const FunctionProfile profile =
      Read(File(R"({"type":"sampled","name":"","unit":"none","samples":[[0],[0,1],[0]]})"));
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 2\nmain (job.py:5);f (job.py:9) 1\n");
}

TEST(Speedscope, MismatchedEventsAreCounted) {
  // f is never closed, thread is never opened, main ends twice.
  const FunctionProfile profile =
      Read(File(Events(Event('O', 0, "1") + "," + Event('O', 1, "2") + "," + Event('C', 2, "3") +
                           "," + Event('C', 0, "4") + "," + Event('C', 0, "5"),
                       "nanoseconds")));
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 1\nmain (job.py:5);f (job.py:9) 2\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kUnmatchedBegin), 1U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kUnmatchedEnd), 2U);
}

TEST(Speedscope, FramesLeftOpenEndWithTheProfile) {
  const FunctionProfile profile =
      Read(File(Events(Event('O', 0, "1") + "," + Event('O', 1, "2"), "nanoseconds")));
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 1\nmain (job.py:5);f (job.py:9) 18\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kUnmatchedBegin), 2U);
}

TEST(Speedscope, TimesThatRunBackwardsAreHeld) {
  const FunctionProfile profile =
      Read(File(Events(Event('O', 0, "5") + "," + Event('O', 1, "3") + "," + Event('C', 1, "6") +
                           "," + Event('C', 0, "9"),
                       "nanoseconds")));
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 3\nmain (job.py:5);f (job.py:9) 1\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kOutOfOrder), 1U);
}

TEST(Speedscope, MalformedRecordsAreCountedAndPassedOver) {
  const FunctionProfile profile = Read(File(
      "5," +
      Events("7,{\"type\":\"X\",\"frame\":0,\"at\":1},{\"type\":\"O\",\"frame\":-1,\"at\":1}," +
                 Event('O', 0, "1") + "," + Event('C', 0, "1e99") + "," + Event('C', 0, "4"),
             "nanoseconds")));
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 3\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 4U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kNumberOutOfRange), 1U);
}

TEST(Speedscope, UnknownFramesAreShownByNumber) {
  const FunctionProfile profile =
      Read(File(Events(Event('O', 77, "1") + "," + Event('C', 77, "3"), "nanoseconds")));
  EXPECT_EQ(PathsOf(profile), "frame 77 2\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kUnknownFrame), 1U);
}

TEST(Speedscope, SamplesWithoutPartnersAndBadWeightsAreLeftOut) {
  const FunctionProfile profile = Read(File(
      R"({"type":"sampled","name":"","unit":"none","samples":[[0],[1],[0],["x"],[0]],"weights":[5,-3,null,2]})"));
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 5\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kNegativeDuration), 1U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kNumberOutOfRange), 1U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 2U);
}

TEST(Speedscope, AnotherUnitIsNotAddedUp) {
  const FunctionProfile profile =
      Read(File(Events(Event('O', 0, "1") + "," + Event('C', 0, "3"), "bytes") + "," +
                Events(Event('O', 1, "1") + "," + Event('C', 1, "3"), "seconds")));
  EXPECT_EQ(PathsOf(profile), "main (job.py:5) 2\n");
  EXPECT_EQ(profile.unit, ValueUnit::kBytes);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kOtherValues), 1U);
}

TEST(Speedscope, EqualFramesAreOneFunction) {
  const std::string text =
      R"({"profiles":[{"type":"sampled","unit":"none","samples":[[0,2],[1,2]],"weights":[1,2]}],)"
      R"("shared":{"frames":[{"name":"a"},{"name":"a"},{"name":"b"}]}})";
  const FunctionProfile profile = Read(text);
  EXPECT_EQ(PathsOf(profile), "a;b 3\n");
  EXPECT_EQ(profile.tree.size(), 2U);
}

TEST(Speedscope, PyinstrumentsEventsAreNoCalls) {
  const FunctionProfile profile = Read(
      File(Events(Event('O', 0, "1") + "," + Event('C', 0, "3")), R"("exporter":"pyinstrument",)"));
  EXPECT_EQ(profile.tree.calls[0], kNoUint);
}

TEST(Speedscope, EveryCutGivesWhatWasBeforeIt) {
  for (const std::string& text : {kEvented, kSampled}) {
    for (size_t size = 0; size < text.size(); ++size) {
      const auto profile =
          ReadFunctions(SpeedscopeFormat(), std::string_view(text).substr(0, size));
      if (!profile) {
        EXPECT_THAT(profile.error().message, HasSubstr("speedscope"));
        EXPECT_EQ(profile.error().code, ErrorCode::kUnreadable);
        continue;
      }
      EXPECT_EQ(CheckFunctions(*profile), "");
      EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kTruncated), 1U) << size;
    }
  }
}

TEST(Speedscope, OneByteAtATimeIsTheSame) {
  ReadOptions tiny;
  tiny.block_bytes = 1;
  for (const std::string& text : {kEvented, kSampled}) {
    const auto whole = ReadFunctions(SpeedscopeFormat(), text);
    const auto bytes = ReadFunctions(SpeedscopeFormat(), text, 1, tiny);
    ASSERT_TRUE(whole && bytes);
    EXPECT_EQ(DumpFunctions(*whole), DumpFunctions(*bytes));
  }
}

TEST(Speedscope, DamageDoesNotHideTheSizeOfTheFile) {
  const std::string text = kSampled + std::string(1'000'000, ' ');
  EXPECT_EQ(Read(text).source.decoded_bytes, text.size());
  std::string broken = text;
  broken[kSampled.size() - 2] = '?';
  const FunctionProfile profile = Read(broken);
  EXPECT_EQ(profile.source.decoded_bytes, text.size());
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 1U);
}

TEST(Speedscope, NothingUsableIsAnError) {
  for (const std::string text :
       {R"({"$schema":"https://www.speedscope.app/file-format-schema.json"})", "[]", "5", "",
        R"({"profiles":[{"type":"evented"}]})", R"({"profiles":{}})"}) {
    const auto profile = ReadFunctions(SpeedscopeFormat(), text);
    ASSERT_FALSE(profile) << text;
    EXPECT_THAT(profile.error().message, HasSubstr("speedscope"));
  }
}

TEST(WriteSpeedscope, IsReadBackTheSame) {
  for (const std::string& text : {kEvented, kSampled}) {
    const FunctionProfile profile = Read(text);
    const Result<std::string> written = WriteSpeedscope(profile);
    ASSERT_TRUE(written);
    EXPECT_TRUE(SpeedscopeFormat().matches(*written, ""));
    const FunctionProfile again = Read(*written);
    EXPECT_EQ(PathsOf(again), PathsOf(profile));
    EXPECT_EQ(again.threads, profile.threads);
    ASSERT_EQ(again.timeline.size(), profile.timeline.size());
    for (size_t i = 0; i < again.timeline.size(); ++i) {
      EXPECT_EQ(again.timeline[i].start, profile.timeline[i].start);
      EXPECT_EQ(again.timeline[i].length, profile.timeline[i].length);
    }
    EXPECT_TRUE(again.diagnostics.empty());
  }
}

TEST(WriteSpeedscope, WithoutOrderPathsBecomeSamples) {
  FunctionProfile profile = Read(kSampled);
  profile.timeline.clear();
  profile.unit = ValueUnit::kBytes;
  const Result<std::string> written = WriteSpeedscope(profile);
  ASSERT_TRUE(written);
  EXPECT_THAT(*written, HasSubstr(R"("type":"sampled")"));
  const FunctionProfile again = Read(*written);
  EXPECT_EQ(PathsOf(again), PathsOf(profile));
  EXPECT_EQ(again.unit, ValueUnit::kBytes);
}

TEST(WriteSpeedscope, PairsHaveNoPaths) {
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  const Result<std::string> written = WriteSpeedscope(profile);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("no call paths"));
}

}  // namespace
}  // namespace telltale
