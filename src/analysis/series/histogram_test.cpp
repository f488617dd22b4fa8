// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/histogram.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

MATCHER_P3(Bucket, left, right, count, "") {
  return arg.left == left && arg.right == right && arg.count == count;
}

TEST(Histogram, BecomesNewStyleAsInTensorboard) {
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_THAT(NewStyleBuckets(0, 4, std::vector<double>{0, 1, 2, 3, kMost},
                              std::vector<double>{0, 1, 2, 3, 4}),
              ElementsAre(Bucket(0, 1, 1), Bucket(1, 2, 2), Bucket(2, 3, 3), Bucket(3, 4, 4)));
  EXPECT_THAT(NewStyleBuckets(-1.5, 7, std::vector<double>{1, 2, 3, kMost},
                              std::vector<double>{0, 5, 0, 0}),
              ElementsAre(Bucket(-1.5, 7, 5)));
  EXPECT_THAT(NewStyleBuckets(0, 1, std::vector<double>{1, 2}, std::vector<double>{0, 0}),
              testing::IsEmpty());
  EXPECT_THAT(NewStyleBuckets(0.1, 0.2, std::vector<double>{1}, std::vector<double>{1}),
              ElementsAre(Bucket(double{0.1F}, double{0.2F}, 1)));
}

// TensorBoard 2.21's own answer.
TEST(Histogram, HasTheDistributionOfTensorboard) {
  const std::vector<HistogramBucket> buckets = {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}, {3, 4, 4}};
  EXPECT_THAT(Distribution(buckets),
              ElementsAre(0, DoubleEq(0.668), DoubleEq(1.2934999999999999),
                          DoubleEq(2.0283333333333333), DoubleEq(2.6666666666666665),
                          DoubleEq(3.22875), DoubleEq(3.60325), DoubleEq(3.833), 4));
}

TEST(Histogram, HasADistributionWhereBucketsAreEmpty) {
  EXPECT_THAT(Distribution({}), testing::Each(0));
  const std::vector<HistogramBucket> empty = {{1, 2, 0}, {2, 5, 0}};
  EXPECT_THAT(Distribution(empty), testing::Each(5));
  const std::vector<HistogramBucket> gaps = {{0, 1, 0}, {1, 2, 5}, {2, 3, 0}, {3, 4, 5}};
  const auto values = Distribution(gaps);
  EXPECT_EQ(values.front(), 0);
  EXPECT_EQ(values.back(), 4);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

}  // namespace
}  // namespace telltale
