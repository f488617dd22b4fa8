// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/welch.h"

#include <gtest/gtest.h>

#include <vector>

namespace telltale {
namespace {

using Values = std::vector<int64_t>;

// Expected values: scipy 1.17.1, 2 * stats.t.sf(t, degrees).
TEST(Welch, KnowsStudentsDistribution) {
  EXPECT_NEAR(StudentTwoSided(12.706, 1), 0.05000080235813319, 1e-12);
  EXPECT_NEAR(StudentTwoSided(2.228, 10), 0.05001177181711132, 1e-12);
  EXPECT_NEAR(StudentTwoSided(2.576, 1e6), 0.00999520677919708, 1e-9);
  EXPECT_NEAR(StudentTwoSided(3.5, 4.7), 0.019129593500276435, 1e-12);
  EXPECT_DOUBLE_EQ(StudentTwoSided(0, 5), 1);
}

// Expected values: scipy 1.17.1, stats.ttest_ind(a, b, equal_var=False).
TEST(Welch, AgreesWithScipy) {
  EXPECT_NEAR(*WelchTest(Values{10, 12, 11, 13}, Values{14, 15, 16, 18}), 0.008512863131378173,
              1e-12);
  EXPECT_NEAR(*WelchTest(Values{100, 200, 300}, Values{110, 190, 320}), 0.9406576723938416, 1e-12);
}

TEST(Welch, NeedsTwoValuesOnEachSide) {
  EXPECT_FALSE(WelchTest(Values{1}, Values{1, 2}).has_value());
  EXPECT_FALSE(WelchTest(Values{}, Values{}).has_value());
}

TEST(Welch, WithoutSpreadAnyDifferenceIsReal) {
  EXPECT_EQ(WelchTest(Values{5, 5}, Values{6, 6}), 0);
  EXPECT_EQ(WelchTest(Values{5, 5, 5}, Values{5, 5}), 1);
}

}  // namespace
}  // namespace telltale
