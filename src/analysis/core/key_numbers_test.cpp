// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/key_numbers.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(KeyNumbers, CountUpInOrderOfFirstUse) {
  KeyNumbers numbers;
  EXPECT_EQ(numbers.Number(77), 0u);
  EXPECT_EQ(numbers.Number(0), 1u);
  EXPECT_EQ(numbers.Number(UINT64_MAX), 2u);
  EXPECT_EQ(numbers.Number(77), 0u);
  EXPECT_EQ(numbers.size(), 3u);
}

TEST(KeyNumbers, SurviveGrowth) {
  KeyNumbers numbers;
  for (uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(numbers.Number(i << 32), i);
  for (uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(numbers.Number(i << 32), i);
  EXPECT_EQ(numbers.size(), 10'000u);
}

}  // namespace
}  // namespace telltale
