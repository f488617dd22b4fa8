// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/intervals.h"

#include <gtest/gtest.h>

#include "analysis/core/interval_cover.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace telltale {
namespace {

TEST(Intervals, UnionSortsMergesTouchingAndDropsEmpty) {
  EXPECT_EQ(Union({{5, 8}, {0, 3}, {3, 4}, {9, 9}, {7, 10}}), (IntervalSet{{0, 4}, {5, 10}}));
  EXPECT_TRUE(Union({}).empty());
  EXPECT_TRUE(Union({{4, 4}, {6, 2}}).empty());
}

TEST(Intervals, IntersectionKeepsCommonMoments) {
  const IntervalSet a = {{0, 10}, {20, 30}};
  EXPECT_EQ(Intersection(a, IntervalSet{{5, 25}, {29, 40}}),
            (IntervalSet{{5, 10}, {20, 25}, {29, 30}}));
  EXPECT_TRUE(Intersection(a, IntervalSet{{10, 20}}).empty());
}

TEST(Intervals, SubtractionLeavesTheRest) {
  const IntervalSet a = {{0, 10}, {12, 14}, {20, 30}};
  EXPECT_EQ(Subtraction(a, IntervalSet{{2, 3}, {5, 22}, {30, 40}}),
            (IntervalSet{{0, 2}, {3, 5}, {22, 30}}));
  EXPECT_EQ(Subtraction(a, {}), a);
  EXPECT_TRUE(Subtraction(a, IntervalSet{{-5, 50}}).empty());
}

TEST(Intervals, ContainsIsHalfOpen) {
  const IntervalSet set = {{2, 4}, {6, 7}};
  EXPECT_FALSE(Contains(set, 1));
  EXPECT_TRUE(Contains(set, 2));
  EXPECT_FALSE(Contains(set, 4));
  EXPECT_TRUE(Contains(set, 6));
  EXPECT_FALSE(Contains(set, 7));
}

TEST(Intervals, UnionBuilderEqualsUnionForSortedInput) {
  const std::vector<Interval> sorted = {{0, 5}, {1, 2}, {5, 6}, {8, 8}, {8, 9}};
  std::vector<Interval> list = {{-9, 100}};
  UnionBuilder builder(list);
  for (const Interval& i : sorted) builder.Add(i.start_ns, i.end_ns);
  list.erase(list.begin());
  EXPECT_EQ(list, Union(sorted));
}

TEST(Intervals, AgreesWithOneBitPerMoment) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::array<std::vector<Interval>, 2> lists;
    std::array<std::array<bool, 64>, 2> bits = {};
    for (size_t k = 0; k < 2; ++k) {
      for (size_t n = random() % 12; n > 0; --n) {
        const size_t start = random() % 60;
        const size_t end = std::min<size_t>(64, start + random() % 9);
        lists[k].push_back({static_cast<int64_t>(start), static_cast<int64_t>(end)});
        for (size_t t = start; t < end; ++t) bits[k][t] = true;
      }
    }
    const IntervalSet a = Union(lists[0]);
    const IntervalSet b = Union(lists[1]);
    const IntervalSet both = Intersection(a, b);
    const IntervalSet rest = Subtraction(a, b);
    int64_t covered = 0;
    for (size_t t = 0; t < 64; ++t) {
      const auto time = static_cast<int64_t>(t);
      ASSERT_EQ(Contains(a, time), bits[0][t]);
      ASSERT_EQ(Contains(both, time), bits[0][t] && bits[1][t]);
      ASSERT_EQ(Contains(rest, time), bits[0][t] && !bits[1][t]);
      covered += bits[0][t] ? 1 : 0;
    }
    ASSERT_EQ(TotalLength(a), covered);
    ASSERT_EQ(TotalLength(both) + TotalLength(rest), covered);
  }
}

TEST(IntervalCover, SaysHowMuchOfAnIntervalIsCovered) {
  const IntervalCover cover({{10, 20}, {30, 40}, {40, 41}, {50, 60}});
  EXPECT_EQ(cover.Within({0, 10}), 0);
  EXPECT_EQ(cover.Within({0, 15}), 5);
  EXPECT_EQ(cover.Within({15, 35}), 10);
  EXPECT_EQ(cover.Within({0, 100}), 31);
  EXPECT_EQ(cover.Within({60, 100}), 0);
  EXPECT_EQ(cover.Within({35, 35}), 0);
  EXPECT_EQ(IntervalCover().Within({0, 10}), 0);
  EXPECT_TRUE(cover.Has(10));
  EXPECT_FALSE(cover.Has(20));
}

TEST(IntervalCover, HintsDoNotChangeTheAnswer) {
  IntervalSet set;
  for (int64_t i = 0; i < 100; ++i) set.push_back({10 * i, 10 * i + 1 + i % 9});
  const IntervalCover cover(set);
  size_t hint = 0;
  for (int64_t i = 0; i < 5000; ++i) {
    const int64_t start = i * 7919 % 1100 - 50;  // forward and back
    const Interval time = {start, start + i % 300};
    ASSERT_EQ(cover.Within(time, hint), cover.Within(time)) << start;
  }
}

}  // namespace
}  // namespace telltale
