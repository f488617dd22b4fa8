// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/free_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "analysis/timeline/timeline_fixture.h"

namespace telltale {
namespace {

TEST(FreeRows, FindsTheFirstFreeRowAsASearchOfAllDoes) {
  TestRandom random(9);
  FreeRows rows;
  std::vector<int64_t> ends(kMostRows, INT64_MIN);
  int64_t time = 0;
  for (int i = 0; i < 20000; ++i) {
    time += static_cast<int64_t>(random.Below(3));
    const auto from = static_cast<uint32_t>(random.Below(100));
    const auto end = time + static_cast<int64_t>(random.Below(random.Below(20) == 0 ? 3000 : 200));
    uint32_t expected = from;
    while (expected < kMostRows - 1 && ends[expected] > time) ++expected;
    ends[expected] = std::max(ends[expected], end);
    ASSERT_EQ(rows.Place(from, time, end), expected);
  }
}

TEST(FreeRows, PutsWhatDoesNotFitOnTheLastRow) {
  FreeRows rows;
  for (uint32_t i = 0; i < kMostRows; ++i) EXPECT_EQ(rows.Place(0, 0, 10), i);
  EXPECT_EQ(rows.Place(0, 5, 6), kMostRows - 1);
  EXPECT_EQ(rows.Place(kMostRows + 7, 20, 21), kMostRows - 1);
  EXPECT_EQ(rows.Place(3, 20, 21), 3U);
}

}  // namespace
}  // namespace telltale
