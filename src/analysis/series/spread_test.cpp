// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/spread.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

ScalarColumn Column(const std::vector<std::pair<int64_t, double>>& points) {
  ScalarColumn column;
  for (const auto& [step, value] : points) column.Append(step, 0, value);
  return column;
}

Line Spread(const std::vector<ScalarColumn>& columns, SpreadBand band, LineRequest request = {}) {
  std::vector<JoinedScalars> joined;
  for (const ScalarColumn& column : columns) joined.emplace_back(column);
  std::vector<const JoinedScalars*> runs;
  for (const JoinedScalars& run : joined) runs.push_back(&run);
  return MakeSpread(runs, request, band);
}

TEST(Spread, IsTheMeanOfTheRunsThatHaveAStep) {
  std::vector<ScalarColumn> runs;
  runs.push_back(Column({{0, 1}, {1, 2}, {2, 3}}));
  runs.push_back(Column({{0, 3}, {1, 6}}));
  runs.push_back(Column({{0, 5}, {1, std::numeric_limits<double>::quiet_NaN()}}));
  const Line line = Spread(runs, SpreadBand::kMinMax);
  EXPECT_THAT(line.x, ElementsAre(0, 1, 2));
  EXPECT_THAT(line.y, ElementsAre(DoubleNear(3, 1e-12), DoubleNear(4, 1e-12), 3));
  EXPECT_THAT(line.low, ElementsAre(1, 2, 3));
  EXPECT_THAT(line.high, ElementsAre(5, 6, 3));
  EXPECT_EQ(line.total, 6U);
  EXPECT_FALSE(line.reduced);
}

TEST(Spread, HasABandOfOneDeviation) {
  std::vector<ScalarColumn> runs;
  runs.push_back(Column({{0, 1}, {1, 7}}));
  runs.push_back(Column({{0, 3}}));
  const Line line = Spread(runs, SpreadBand::kDeviation);
  EXPECT_NEAR(line.low[0], 2 - std::sqrt(2), 1e-12);
  EXPECT_NEAR(line.high[0], 2 + std::sqrt(2), 1e-12);
  EXPECT_EQ(line.low[1], 7);
  EXPECT_EQ(line.high[1], 7);
}

TEST(Spread, CountsEveryRunOnceAPixel) {
  ScalarColumn dense;
  for (int i = 0; i < 10'000; ++i) dense.Append(i, 0, 1);
  ScalarColumn sparse;
  for (int i = 0; i < 10'000; i += 100) sparse.Append(i, 0, 3);
  std::vector<ScalarColumn> runs;
  runs.push_back(std::move(dense));
  runs.push_back(std::move(sparse));
  const Line line = Spread(runs, SpreadBand::kMinMax, {.width = 100});
  EXPECT_TRUE(line.reduced);
  EXPECT_EQ(line.size(), 100U);
  EXPECT_EQ(line.total, 10'100U);
  for (size_t i = 0; i < line.size(); ++i) {
    EXPECT_NEAR(line.y[i], 2, 1e-9);
    EXPECT_EQ(line.low[i], 1);
    EXPECT_EQ(line.high[i], 3);
  }
}

TEST(Spread, OfNothingIsEmpty) {
  EXPECT_EQ(Spread({}, SpreadBand::kMinMax).size(), 0U);
  std::vector<ScalarColumn> runs(1);
  EXPECT_EQ(Spread(runs, SpreadBand::kMinMax).size(), 0U);
}

}  // namespace
}  // namespace telltale
