// SPDX-License-Identifier: Apache-2.0
#include "monitor/schedule.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(SampleSchedule, BeginsSoonAndThenKeepsToMultiples) {
  SampleSchedule schedule(5 * kMs, 1000 * kMs);
  EXPECT_EQ(schedule.next_ns(), 105 * kMs);
  EXPECT_FALSE(schedule.Take(104 * kMs));
  EXPECT_TRUE(schedule.Take(107 * kMs));
  EXPECT_EQ(schedule.next_ns(), 1005 * kMs);
  EXPECT_TRUE(schedule.Take(1300 * kMs));  // late, and the next one is not
  EXPECT_EQ(schedule.next_ns(), 2005 * kMs);
  EXPECT_EQ(schedule.missed(), 0);
}

TEST(SampleSchedule, DoesNotDriftOverAMillionLateSamples) {
  SampleSchedule schedule(0, 10 * kMs);
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(schedule.Take(schedule.next_ns() + 3 * kMs));
  EXPECT_EQ(schedule.next_ns(), 1'000'001 * 10 * kMs);
  EXPECT_EQ(schedule.missed(), 0);
}

TEST(SampleSchedule, LeavesOutWhatWasMissedAndCountsIt) {
  SampleSchedule schedule(0, 1000 * kMs);
  EXPECT_TRUE(schedule.Take(100 * kMs));
  EXPECT_TRUE(schedule.Take(4500 * kMs));
  EXPECT_EQ(schedule.next_ns(), 5000 * kMs);
  EXPECT_EQ(schedule.missed(), 3);
}

TEST(SampleSchedule, AShortIntervalIsItsOwnBeginning) {
  SampleSchedule schedule(0, 20 * kMs);
  EXPECT_EQ(schedule.next_ns(), 20 * kMs);
}

TEST(ParseInterval, TakesSecondsAndUnits) {
  EXPECT_EQ(ParseInterval("1").value(), 1000 * kMs);
  EXPECT_EQ(ParseInterval("0.25").value(), 250 * kMs);
  EXPECT_EQ(ParseInterval("200ms").value(), 200 * kMs);
  EXPECT_EQ(ParseInterval("2s").value(), 2000 * kMs);
  EXPECT_EQ(ParseInterval("1.5m").value(), 90'000 * kMs);
}

TEST(ParseInterval, RefusesWhatIsNone) {
  for (const char* text : {"", "x", "0", "-1", "1h", "nan", "inf", "1e9", "0.001", "1 s", "s"}) {
    EXPECT_FALSE(ParseInterval(text)) << text;
  }
}

}  // namespace
}  // namespace telltale
