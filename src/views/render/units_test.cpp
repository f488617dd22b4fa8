// SPDX-License-Identifier: Apache-2.0
#include "views/render/units.h"

#include <vector>

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(FormatDuration, ChoosesTheUnit) {
  EXPECT_EQ(FormatDuration(0), "0 ns");
  EXPECT_EQ(FormatDuration(980), "980 ns");
  EXPECT_EQ(FormatDuration(1'000), "1.00 µs");
  EXPECT_EQ(FormatDuration(64'200'000), "64.2 ms");
  EXPECT_EQ(FormatDuration(177'600'000), "177.6 ms");
  EXPECT_EQ(FormatDuration(1'530'000'000), "1.53 s");
  EXPECT_EQ(FormatDuration(599'400'000'000), "599.4 s");
  EXPECT_EQ(FormatDuration(599'500'000'000), "10 min 0 s");
  EXPECT_EQ(FormatDuration(4'000'000'000'000), "66 min 40 s");
  EXPECT_EQ(FormatDuration(7'200'000'000'000), "2 h 0 min");
  EXPECT_EQ(FormatDuration(74'677'600'000'000), "20 h 45 min");
  EXPECT_EQ(FormatDuration(INT64_MAX), "2,562,047 h 47 min");
  EXPECT_EQ(FormatDuration(-2'500'000), "-2.50 ms");
  EXPECT_EQ(FormatDuration(12'345, false), "12.3 us");
}

TEST(FormatDuration, NeverShowsAThousandOfAUnit) {
  EXPECT_EQ(FormatDuration(999'960'000), "1.00 s");
  EXPECT_EQ(FormatDuration(999'940'000), "999.9 ms");
  EXPECT_EQ(FormatDuration(9'996'000), "10.0 ms");
}

TEST(FormatBytes, CountsInPowersOfTwo) {
  EXPECT_EQ(FormatBytes(12), "12 B");
  EXPECT_EQ(FormatBytes(1024), "1.00 KiB");
  EXPECT_EQ(FormatBytes(35'154'637), "33.5 MiB");
  EXPECT_EQ(FormatBytes(34'084'028'416), "31.7 GiB");
  EXPECT_EQ(FormatBytes(-2048), "-2.00 KiB");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(75'718), "75,718");
  EXPECT_EQ(FormatCount(1'000'000), "1,000,000");
  EXPECT_EQ(FormatCount(-1'234), "-1,234");
}

TEST(FormatShare, SaysWhenThereIsALittle) {
  EXPECT_EQ(FormatShare(0.553), "55.3 %");
  EXPECT_EQ(FormatShare(0), "0.0 %");
  EXPECT_EQ(FormatShare(0.0001), "<0.1 %");
  EXPECT_EQ(FormatShare(0.553, 0), "55 %");
  EXPECT_EQ(FormatShare(0.001, 0), "<1 %");
  EXPECT_EQ(FormatShare(1.29), "129.0 %");
}

TEST(ColumnUnit, OneUnitForAllValues) {
  const std::vector<int64_t> values = {98'210'000, 1'200'000, 3'000};
  const ColumnUnit unit = DurationUnit(values);
  EXPECT_EQ(unit.name, "ms");
  EXPECT_EQ(FormatIn(unit, 98'210'000), "98.21");
  EXPECT_EQ(FormatIn(unit, 1'200'000), "1.20");
  EXPECT_EQ(FormatIn(unit, 3'000), "<0.01");
  EXPECT_EQ(FormatIn(unit, -3'000), ">-0.01");
  EXPECT_EQ(FormatIn(unit, 0), "0.00");
}

TEST(ColumnUnit, KeepsFourDigitsOfTheLargest) {
  const auto largest = [](int64_t value) {
    return FormatIn(DurationUnit(std::vector{value}), value);
  };
  EXPECT_EQ(largest(1'234'567), "1.235");
  EXPECT_EQ(largest(12'345'678), "12.35");
  EXPECT_EQ(largest(123'456'789), "123.5");
  EXPECT_EQ(largest(987), "987");
  EXPECT_EQ(largest(1'234'567'000'000), "1235");
}

TEST(ColumnUnit, AsciiAndEmpty) {
  EXPECT_EQ(DurationUnit(std::vector<int64_t>{5'000}, false).name, "us");
  EXPECT_EQ(DurationUnit({}).name, "ns");
  EXPECT_EQ(ByteUnit(std::vector<int64_t>{-5'000'000}).name, "MiB");
  EXPECT_EQ(FlopUnit(std::vector<int64_t>{240'648'192'000}).name, "GFLOP");
}

}  // namespace
}  // namespace telltale
