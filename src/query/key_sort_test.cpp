// SPDX-License-Identifier: Apache-2.0
#include "query/key_sort.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "query/plan.h"
#include "query/value.h"

namespace telltale {
namespace {

TEST(KeySort, AgreesWithAStableSort) {
  uint64_t random = 7;
  for (const uint32_t size : {0U, 1U, 10U, 511U, 512U, 5000U}) {
    for (const uint64_t mask : {uint64_t{0}, uint64_t{7}, uint64_t{0xffff}, UINT64_MAX}) {
      Column<KeyedRow> rows;
      for (uint32_t i = 0; i < size; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        rows.push_back({static_cast<int64_t>((random ^ random >> 29U) & mask), i});
      }
      if (size > 20) {
        rows[3].key = INT64_MIN;
        rows[9].key = INT64_MAX;
      }
      std::vector<KeyedRow> expected(rows.begin(), rows.end());
      std::stable_sort(expected.begin(), expected.end(),
                       [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
      SortByKey(rows);
      for (uint32_t i = 0; i < size; ++i) {
        ASSERT_EQ(rows[i].key, expected[i].key);
        ASSERT_EQ(rows[i].row, expected[i].row);
      }
    }
  }
}

TEST(OrderedBits, OrderAsTheNumbersDo) {
  const std::vector<double> ascending = {-1e308, -2, -1, -1e-300, 0, 5e-324, 0.5, 1, 1e308};
  for (size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(OrderedBits(ascending[i - 1]), OrderedBits(ascending[i]));
  }
}

TEST(Plan, SurvivesItsText) {
  const Plan plan = {
      {{12, Comparison::kEqual}, {3, Comparison::kGreaterOrEqual}, {3, Comparison::kLess}},
      {{0, false}, {25, true}}};
  EXPECT_EQ(DecodePlan(Encode(plan)), plan);
  EXPECT_EQ(DecodePlan(Encode({})), Plan());
}

}  // namespace
}  // namespace telltale
