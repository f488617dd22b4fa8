// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/importance.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(Importance, RanksShareTheirPlaces) {
  EXPECT_THAT(Ranks(std::vector<double>{10, 30, 20, 20}), testing::ElementsAre(1, 4, 2.5, 2.5));
}

TEST(Importance, AsksForNoStraightLine) {
  const std::vector<double> rate = {0.001, 0.01, 0.1, 1};
  const auto rising = NumberImportance(rate, std::vector<double>{1, 2, 50, 51});
  ASSERT_TRUE(rising);
  EXPECT_NEAR(rising->correlation, 1, 1e-12);
  EXPECT_EQ(rising->runs, 4U);
  EXPECT_NEAR(NumberImportance(rate, std::vector<double>{9, 5, 2, 1})->correlation, -1, 1e-12);
  EXPECT_NEAR(NumberImportance(rate, std::vector<double>{1, 3, 2, 4})->correlation, 0.8, 1e-12);
}

TEST(Importance, LeavesOutWhatIsMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto some =
      NumberImportance(std::vector<double>{1, 2, nan, 4}, std::vector<double>{1, 2, 9, 4});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->runs, 3U);
  EXPECT_FALSE(NumberImportance(std::vector<double>{1, 2}, std::vector<double>{1, 2}));
  EXPECT_FALSE(NumberImportance(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}));
}

TEST(Importance, OfNamesIsWhatTheirGroupsExplain) {
  const std::vector<std::string_view> optimizer = {"sgd", "sgd", "adam", "adam"};
  EXPECT_NEAR(NameImportance(optimizer, std::vector<double>{1, 2, 8, 9})->correlation,
              std::sqrt(0.8), 1e-12);
  EXPECT_FALSE(
      NameImportance(std::vector<std::string_view>{"a", "b", "c"}, std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace telltale
