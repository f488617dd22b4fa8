// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace telltale {
namespace {

TEST(Rate, AConstantPaceIsOneValue) {
  ScalarColumn column;
  for (int i = 0; i <= 100; ++i) column.Append(i, 1000 + i * 0.25, 1);
  const Line line = MakeRate(JoinedScalars(column), {.parts = 10});
  ASSERT_EQ(line.size(), 10U);
  for (const double rate : line.y) EXPECT_NEAR(rate, 4, 1e-9);
  EXPECT_NEAR(line.x[0], 1001.25, 1e-9);
}

TEST(Rate, ALongStepIsALowRateAndNoGap) {
  ScalarColumn column;
  column.Append(0, 0, 1);
  column.Append(1, 1, 1);
  column.Append(2, 9, 1);
  column.Append(3, 10, 1);
  const Line line = MakeRate(JoinedScalars(column), {.parts = 10});
  EXPECT_NEAR(line.y[0], 1, 1e-9);
  EXPECT_NEAR(line.y[4], 1.0 / 8, 1e-9);
  EXPECT_NEAR(line.y[9], 1, 1e-9);
  double steps = 0;
  for (const double rate : line.y) steps += rate;
  EXPECT_NEAR(steps, 3, 1e-9) << "every step is somewhere";
}

TEST(Rate, CountsStepsAndNotPoints) {
  ScalarColumn column;
  for (int i = 0; i <= 10; ++i) column.Append(i * 50, i, 0.5);
  const Line line = MakeRate(JoinedScalars(column), {.parts = 5});
  for (const double rate : line.y) EXPECT_NEAR(rate, 50, 1e-9);
}

TEST(Rate, SaysNothingWhereNothingIsKnown) {
  ScalarColumn column;
  for (int i = 0; i <= 10; ++i) column.Append(i, i, 1);
  // The run began again, 90 s later.
  for (int i = 5; i <= 15; ++i) column.Append(i, 95 + i, 1);
  const Line line = MakeRate(JoinedScalars(column), {.parts = 11});
  EXPECT_NEAR(line.y[0], 1, 1e-9);
  EXPECT_TRUE(std::isnan(line.y[5]));
  EXPECT_NEAR(line.y[10], 1, 1e-9);
  EXPECT_EQ(MakeRate(JoinedScalars(), {}).size(), 0U);
  EXPECT_EQ(MakeRate(JoinedScalars(column), {.from = 5, .to = 5, .parts = 3}).size(), 0U);
}

TEST(Rate, APartOfTheTimeIsTheSameAsInTheWhole) {
  ScalarColumn column;
  for (int i = 0; i <= 1000; ++i) column.Append(i, i * 0.1 + (i > 500 ? 5 : 0), 1);
  const Line line = MakeRate(JoinedScalars(column), {.from = 10, .to = 20, .parts = 4});
  for (const double rate : line.y) EXPECT_NEAR(rate, 10, 1e-6);
}

TEST(Rate, HostileTimesDoNoHarm) {
  ScalarColumn column;
  column.Append(0, std::numeric_limits<double>::quiet_NaN(), 1);
  column.Append(1, -1e300, 1);
  column.Append(2, 1e300, 1);
  column.Append(std::numeric_limits<int64_t>::max(), 5, 1);
  column.Append(std::numeric_limits<int64_t>::min(), 6, 1);
  EXPECT_LE(MakeRate(JoinedScalars(column), {.parts = 7}).size(), 7U);
  static_cast<void>(RateNow(JoinedScalars(column)));
  EXPECT_GT(Summarize(JoinedScalars(column)).count, 0U);
}

TEST(Summary, IsOverFiniteValues) {
  ScalarColumn column;
  column.Append(0, 10, 2);
  column.Append(1, 12, std::numeric_limits<double>::quiet_NaN());
  column.Append(2, 14, 4);
  column.Append(3, 200, 4);  // nobody measured for three minutes
  const SeriesSummary summary = Summarize(JoinedScalars(column));
  EXPECT_EQ(summary.count, 3U);
  EXPECT_NEAR(summary.mean(), 10.0 / 3, 1e-12);
  EXPECT_EQ(summary.max, 4);
  EXPECT_EQ(summary.last, 4);
  EXPECT_NEAR(summary.integral, 4 * 3, 1e-12);
  EXPECT_NEAR(summary.rises, 2, 1e-12);
}

TEST(Summary, TellsThePaceOfTheLastPoints) {
  ScalarColumn column;
  for (int i = 0; i < 100; ++i) column.Append(i, i < 50 ? i : 50 + (i - 50) * 0.1, 1);
  EXPECT_NEAR(*RateNow(JoinedScalars(column), 20), 10, 1e-6);
  ScalarColumn one;
  one.Append(0, 1, 1);
  EXPECT_FALSE(RateNow(JoinedScalars(one)));
  EXPECT_FALSE(RateNow(JoinedScalars()));
}

}  // namespace
}  // namespace telltale
