// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/slow_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace telltale {
namespace {

using testing::ElementsAre;

TEST(SlowSteps, AreThoseFarLongerThanTheTypicalOne) {
  const std::vector<int64_t> durations = {300, 100, 101, 99, 180};
  const SlowSteps steps = FindSlowSteps(durations);
  EXPECT_EQ(steps.typical, 2U);
  EXPECT_EQ(steps.slowest, 0U);
  EXPECT_THAT(steps.slow, ElementsAre(0, 4));
  EXPECT_EQ(steps.excess_ns, 199 + 79);
}

TEST(SlowSteps, AreNoneAmongEvenOnesOrTwo) {
  EXPECT_TRUE(FindSlowSteps(std::vector<int64_t>{100, 120, 90, 110}).empty());
  EXPECT_TRUE(FindSlowSteps(std::vector<int64_t>{100, 1000}).empty());
  EXPECT_TRUE(FindSlowSteps(std::vector<int64_t>{}).empty());
}

TEST(SlowSteps, AreExplainedByWhatCostsMoreInThemThanUsually) {
  const SlowSteps steps = FindSlowSteps(std::vector<int64_t>{100, 100, 300, 100});
  EXPECT_EQ(ExplainedBy(steps, std::vector<int64_t>{10, 10, 190, 12}), 180);
  EXPECT_EQ(ExplainedBy(steps, std::vector<int64_t>{10, 10, 5, 12}), 0);
}

}  // namespace
}  // namespace telltale
