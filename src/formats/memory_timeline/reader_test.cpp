// SPDX-License-Identifier: Apache-2.0
#include "formats/memory_timeline/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/memory_dump.h"
#include "formats/registry.h"

namespace telltale {
namespace {

using testing::HasSubstr;

constexpr std::string_view kRaw =
    "[[-1, 1, 1024, 0], [-1, 1, 64, 5], [1794777047484611753, 2, 256, 2], "
    "[1794777047485204250, 3, -1024, 0], [1794777047485204250, 3, 1024, 0], "
    "[1794777047486949782, 4, -256, 2]]";
constexpr std::string_view kSums =
    "[[1794777047484611, 1794777047484793, 1794777047484895], "
    "[[0, 1292, 0, 0, 0, 0, 1292, 0, 0], [0, 1292, 0, 256, 0, 0, 1292, 0, 0], "
    "[0, 1292, 0, 0, 0, 512, 1292, 0, 7]]]";

std::string FormatOf(std::string_view head) {
  const Format* format = FindFormat(head, "");
  return format == nullptr || format->kind != ContentKind::kMemory ? "" : std::string(format->name);
}

TEST(MemoryTimeline, IsToldFromOtherLists) {
  EXPECT_EQ(FormatOf(kRaw), "memory_timeline_raw");
  EXPECT_EQ(FormatOf(kSums), "memory_timeline");
  EXPECT_EQ(FormatOf("[[1,2,3,4]]"), "memory_timeline_raw");
  EXPECT_EQ(FormatOf("[[1,2,3,4],[[0,1]]]"), "memory_timeline");
  EXPECT_EQ(FormatOf(" [ [ 1 , 2 , 3 , 4 ] , [ [ 0"), "memory_timeline");
  EXPECT_EQ(FormatOf("[[1,2,3,4,5,6"), "memory_timeline");  // cut in the times
  for (const std::string_view other :
       {"", "[", "[[", "[[1", "[[]]", "[[1,2,3]]", "[[1.5,2,3,4]]", "[[\"a\"]]",
        "[{\"ph\": \"X\"}]", "[[-,1,2,3]]", "[1,2,3,4]", "{\"traceEvents\": [[1,2,3,4]]}"}) {
    EXPECT_EQ(FormatOf(other), "") << other;
  }
}

TEST(MemoryTimeline, ReadsSingleChanges) {
  const Result<MemoryProfile> profile = ReadMemory(MemoryTimelineRawFormat(), kRaw);
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  const MemoryActionTable& actions = profile->actions;
  ASSERT_EQ(actions.size(), 6U);
  EXPECT_EQ(actions.time_ns[0], 1794777047484611753);  // from before: as the first event
  EXPECT_EQ(actions.bytes[3], -1024);
  EXPECT_EQ(profile->categories[actions.category[1]], "gradient");
  EXPECT_TRUE(profile->diagnostics.empty());
}

TEST(MemoryTimeline, ReadsSumsAsChanges) {
  const Result<MemoryProfile> profile = ReadMemory(MemoryTimelineFormat(), kSums);
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  const MemoryActionTable& actions = profile->actions;
  ASSERT_EQ(actions.size(), 6U);
  EXPECT_EQ(actions.time_ns[2], 1794777047484793000);
  EXPECT_EQ(actions.bytes[2], 256);
  EXPECT_EQ(profile->categories[actions.category[2]], "input");
  EXPECT_EQ(actions.bytes[3], -256);
  EXPECT_EQ(profile->categories[actions.category[5]], "unknown");
  EXPECT_TRUE(profile->diagnostics.empty());
}

TEST(MemoryTimeline, CountsWhatIsNoEvent) {
  const Result<MemoryProfile> profile = ReadMemory(
      MemoryTimelineRawFormat(),
      R"([[1,2,3,4],[1,2,3],7,{"a":[1]},[1,2,"x",4],[1,2,3,4,5],[1,2,3,-1],[9,2,3,200]])");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->actions.size(), 2U);
  EXPECT_EQ(profile->categories[profile->actions.category[1]], "unknown");
  EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kMalformedRecord), 6U);
}

TEST(MemoryTimeline, SizesAndTimesWithoutAPartnerAreLeftOut) {
  Result<MemoryProfile> profile = ReadMemory(MemoryTimelineFormat(), "[[1,2,3],[[0,5],[0,6]]]");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->actions.size(), 2U);
  EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kMalformedRecord), 1U);
  profile = ReadMemory(MemoryTimelineFormat(), "[[1],[[0,5],[0,6],[0,7]]]");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->actions.size(), 1U);
  EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kMalformedRecord), 2U);
}

TEST(MemoryTimeline, EveryCutGivesWhatWasThere) {
  for (const auto& [format, text] :
       {std::pair(MemoryTimelineRawFormat(), kRaw), std::pair(MemoryTimelineFormat(), kSums)}) {
    size_t events = 0;
    for (size_t size = 0; size < text.size(); ++size) {
      const Result<MemoryProfile> cut = ReadMemory(format, text.substr(0, size));
      if (!cut) {
        EXPECT_EQ(events, 0U) << size;
        EXPECT_EQ(cut.error().code, ErrorCode::kUnreadable);
        continue;
      }
      EXPECT_GE(cut->actions.size(), events) << size;
      events = cut->actions.size();
      EXPECT_EQ(CheckMemory(*cut), "");
      EXPECT_EQ(cut->diagnostics.Count(DiagnosticKind::kTruncated), 1U) << size;
    }
    EXPECT_EQ(events, 6U);
  }
}

TEST(MemoryTimeline, OneByteAtATimeGivesTheSame) {
  for (const auto& [format, text] :
       {std::pair(MemoryTimelineRawFormat(), kRaw), std::pair(MemoryTimelineFormat(), kSums)}) {
    EXPECT_EQ(DumpMemory(*ReadMemory(format, text, 1)), DumpMemory(*ReadMemory(format, text)));
  }
}

TEST(MemoryTimeline, HostileNumbersAndDepthAreHarmless) {
  std::string deep = "[[1,2,3,4],";
  deep.append(100'000, '[');
  EXPECT_TRUE(ReadMemory(MemoryTimelineRawFormat(), deep).has_value());
  const Result<MemoryProfile> large = ReadMemory(
      MemoryTimelineFormat(),
      "[[1,9223372036854775807],[[0,9223372036854775807],[0,-9223372036854775808,1e400]]]");
  ASSERT_TRUE(large.has_value());
  EXPECT_EQ(large->actions.size(), 1U);
}

TEST(MemoryTimeline, SaysWhatIsMissing) {
  const Result<MemoryProfile> none = ReadMemory(MemoryTimelineRawFormat(), "[]");
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("holds no events"));
}

}  // namespace
}  // namespace telltale
