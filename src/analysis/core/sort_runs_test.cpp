// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/sort_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace telltale {
namespace {

using Item = std::pair<int, int>;  // key, place

bool Before(const Item& a, const Item& b) { return a.first < b.first; }

TEST(SortRuns, SortsStablyLikeTheStandardLibrary) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Item> items;
    for (int i = 0, n = static_cast<int>(random() % 60); i < n; ++i) {
      items.emplace_back(static_cast<int>(random() % 20), i);
    }
    std::vector<Item> expected = items;
    std::stable_sort(expected.begin(), expected.end(), Before);
    SortRuns(std::span(items), Before);
    ASSERT_EQ(items, expected);
  }
}

TEST(SortRuns, ReadsSortedInputOnce) {
  std::vector<int> items(1000);
  for (int i = 0; i < 1000; ++i) items[static_cast<size_t>(i)] = i / 2;
  size_t comparisons = 0;
  SortRuns(std::span(items), [&](int a, int b) { return ++comparisons, a < b; });
  EXPECT_EQ(comparisons, 999u);
}

TEST(SortRuns, MergesTwoRunsInOnePass) {
  std::vector<int> items;
  for (int i = 0; i < 500; ++i) items.push_back(2 * i);
  for (int i = 0; i < 500; ++i) items.push_back(2 * i + 1);
  size_t comparisons = 0;
  SortRuns(std::span(items), [&](int a, int b) { return ++comparisons, a < b; });
  EXPECT_LE(comparisons, 2000u);
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
}

}  // namespace
}  // namespace telltale
