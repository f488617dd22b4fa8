// SPDX-License-Identifier: Apache-2.0
#include "views/functions/between.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "runs/run_settings.h"

namespace telltale {
namespace {

using ::testing::HasSubstr;
using Kind = TimePoint::Kind;

constexpr int64_t kSecond = 1'000'000'000;

TEST(TimeRange, IsWrittenInThreeWays) {
  const auto clock = ParseTimeRange("14:03..14:04:30.5");
  ASSERT_TRUE(clock) << clock.error().message;
  EXPECT_EQ(clock->from.kind, Kind::kClock);
  EXPECT_EQ(clock->from.ns, (14 * 3600 + 3 * 60) * kSecond);
  EXPECT_EQ(clock->to.ns, (14 * 3600 + 4 * 60) * kSecond + 30'500'000'000);
  const auto moments = ParseTimeRange("2026-11-15T14:03..2026-11-15T16:04:00+01:00");
  ASSERT_TRUE(moments) << moments.error().message;
  EXPECT_EQ(moments->from.kind, Kind::kMoment);
  EXPECT_EQ(moments->from.ns, *ParseTime("2026-11-15T14:03:00Z"));
  EXPECT_EQ(moments->to.ns, *ParseTime("2026-11-15T15:04:00Z"));
  const auto since = ParseTimeRange("1.5s..2min");
  ASSERT_TRUE(since) << since.error().message;
  EXPECT_EQ(since->from.kind, Kind::kSinceStart);
  EXPECT_EQ(since->from.ns, 1'500'000'000);
  EXPECT_EQ(since->to.ns, 120 * kSecond);
  EXPECT_EQ(ParseTimeRange("500ms..")->to.kind, Kind::kOpen);
  EXPECT_EQ(ParseTimeRange("..0.5h")->to.ns, 1800 * kSecond);
}

TEST(TimeRange, SaysWhatIsWrongWithAText) {
  for (const std::string_view text :
       {"", "..", "14:03", "25:00..26:00", "14:3..14:04", "12..13", "-5s..3s", "1s..x", "14:03..5s",
        "5s..3s", "2026-11-15T14:03..2026-11-15T14:02", "14:60..15:00", "14:03:61..14:05"}) {
    EXPECT_FALSE(ParseTimeRange(text)) << text;
  }
  EXPECT_THAT(ParseTimeRange("5s..3s").error().message, HasSubstr("ends before it begins"));
  EXPECT_THAT(ParseTimeRange("14:03..5s").error().message, HasSubstr("in one way"));
}

// A second of `work` and then one of `wait`, again and again, in slots of a second.
class BetweenTest : public testing::Test {
 protected:
  void Record(std::string_view start, int64_t seconds) {
    profile_.start_ns = *ParseTime(start);
    profile_.threads = {"main"};
    profile_.thread_starts = {0};
    CallTreeBuilder builder(profile_);
    const CallNodeId run = builder.Child(kNoCallNode, builder.FunctionOf("a.py", 1, "run"));
    const CallNodeId work = builder.Child(run, builder.FunctionOf("a.py", 2, "work"));
    const CallNodeId wait = builder.Child(run, builder.FunctionOf("a.py", 3, "wait"));
    for (int64_t i = 0; i < seconds; ++i) {
      profile_.slots.push_back({i * kSecond, (i + 1) * kSecond, profile_.timeline.size()});
      profile_.timeline.push_back({i % 2 == 0 ? work : wait, 0, i * kSecond, kSecond});
      profile_.tree.self[i % 2 == 0 ? work : wait] += kSecond;
    }
  }
  Result<TimeCut> Cut(std::string_view text) {
    ParamValues params;
    EXPECT_TRUE(params.Add(BetweenParam(), text));
    const Result<TimeRange> range = ParseTimeRange(text);
    EXPECT_TRUE(range) << range.error().message;
    const FunctionProfile* const profile = &profile_;
    return CutBetween({&profile, 1}, *range, params);
  }
  std::string Covered(std::string_view text) {
    const Result<TimeCut> cut = Cut(text);
    return cut ? cut->from_text() + " " + cut->to_text() : cut.error().message;
  }

  FunctionProfile profile_;
};

TEST_F(BetweenTest, TheClockIsThatOfTheDayThatWasRecorded) {
  Record("2026-11-15T14:00:00.250Z", 600);
  EXPECT_EQ(Covered("14:03..14:04"), "2026-11-15T14:02:59.250Z 2026-11-15T14:04:00.250Z")
      << "whole slots: a second more at each end at the most";
  EXPECT_EQ(Covered("60s..61s"), "2026-11-15T14:01:00.250Z 2026-11-15T14:01:01.250Z");
  EXPECT_EQ(Covered("2026-11-15T15:03:00.250+01:00..2026-11-15T14:03:01.250Z"),
            "2026-11-15T14:03:00.250Z 2026-11-15T14:03:01.250Z");
  EXPECT_EQ(Covered("14:09:58.250.."), "2026-11-15T14:09:58.250Z 2026-11-15T14:10:00.250Z");
  EXPECT_EQ(Covered("13:00..14:00:01"), "2026-11-15T14:00:00.250Z 2026-11-15T14:00:01.250Z");
}

TEST_F(BetweenTest, ARangeOutsideSaysWhatWasRecorded) {
  Record("2026-11-15T14:00:00.250Z", 600);
  EXPECT_EQ(Covered("15:00..15:01"),
            "--between '15:00..15:01' is outside of what was recorded: 2026-11-15 14:00:00 to "
            "14:10:00 UTC (10 min 0 s)");
  EXPECT_THAT(Covered("900s.."), HasSubstr("is outside of what was recorded"));
  EXPECT_THAT(Covered("14:04..14:03"), HasSubstr("ends before it begins"));
}

TEST_F(BetweenTest, MidnightIsFoundAndSeveralDaysAreToldApart) {
  Record("2026-11-15T23:59:00Z", 120);
  EXPECT_EQ(Covered("23:59:30..00:00:30"), "2026-11-15T23:59:30.000Z 2026-11-16T00:00:30.000Z");
  EXPECT_EQ(Covered("00:00:30.."), "2026-11-16T00:00:30.000Z 2026-11-16T00:01:00.000Z");
  profile_ = FunctionProfile();
  Record("2026-11-15T14:00:00Z", 2 * 86'400);
  EXPECT_THAT(Covered("15:00..15:01"), HasSubstr("on several days: name one"));
  EXPECT_EQ(Covered("2026-11-16T15:00..2026-11-16T15:01"),
            "2026-11-16T15:00:00.000Z 2026-11-16T15:01:00.000Z");
}

TEST_F(BetweenTest, WithoutADateOnlyTimesSinceTheStartAreKnown) {
  Record("2026-11-15T14:00:00Z", 10);
  profile_.start_ns = kNoInt;
  const Result<TimeCut> cut = Cut("2s..3s");
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->Phrase(true), "Between 2.00 s and 3.00 s since the start");
  EXPECT_EQ(cut->from_text(), "");
  EXPECT_THAT(Covered("14:03..14:04"), HasSubstr("does not say when it was recorded"));
}

TEST_F(BetweenTest, ProfilesWithoutTimesSaySo) {
  Record("2026-11-15T14:00:00Z", 10);
  profile_.thread_starts.clear();
  EXPECT_THAT(Covered("2s..3s"), HasSubstr("not when they ran"));
}

TEST_F(BetweenTest, TheSentenceNamesTheTime) {
  Record("2026-11-15T14:00:00Z", 600);
  EXPECT_EQ(Cut("14:03..14:04")->Phrase(true), "Between 14:03:00 and 14:04:00 on 2026-11-15 (UTC)");
  EXPECT_EQ(Cut("60s..61s")->Phrase(true),
            "Between 14:01:00.000 and 14:01:01.000 on 2026-11-15 (UTC)");
}

TEST_F(BetweenTest, AnyTimesThatAFileMaySayAreTaken) {
  Record("2026-11-15T14:00:00Z", 2);
  for (const int64_t start : {INT64_MIN + 1, INT64_MAX - 1, int64_t{-1}}) {
    profile_.start_ns = start;
    for (const std::string_view text : {"14:03..14:04", "0s..1s", "1s..", "..23:59",
                                        "2026-11-15T14:03..", "..2026-11-15T14:03"}) {
      static_cast<void>(Covered(text));
    }
  }
}

}  // namespace
}  // namespace telltale
