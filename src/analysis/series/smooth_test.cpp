// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/smooth.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// TensorBoard's definition, word by word.
std::vector<double> AsTensorboard(const std::vector<double>& values, double weight) {
  bool equal = true;
  for (const double value : values) equal &= value == values[0];
  double last = 0;
  int count = 0;
  std::vector<double> smoothed;
  for (const double value : values) {
    if (equal || !std::isfinite(value)) {
      smoothed.push_back(value);
      continue;
    }
    last = last * weight + (1 - weight) * value;
    ++count;
    const double debias = weight != 1 ? 1 - std::pow(weight, count) : 1;
    smoothed.push_back(last / debias);
  }
  return smoothed;
}

TEST(Smooth, IsTensorboards) {
  EXPECT_THAT(Smooth(std::vector<double>{1, 3, 2}, 0.6),
              ElementsAre(1, DoubleNear(2.25, 1e-12), DoubleNear(2.122448979591837, 1e-12)));
  EXPECT_THAT(Smooth(std::vector<double>{5, 5, 5}, 0.9), ElementsAre(5, 5, 5));
  EXPECT_THAT(Smooth(std::vector<double>{1, 2}, 0), ElementsAre(1, 2));
  EXPECT_TRUE(Smooth({}, 0.5).empty());
}

TEST(Smooth, PassesWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {1, nan, 3, infinity, 2};
  const std::vector<double> smoothed = Smooth(values, 0.6);
  EXPECT_TRUE(std::isnan(smoothed[1]));
  EXPECT_EQ(smoothed[3], infinity);
  EXPECT_NEAR(smoothed[2], 2.25, 1e-12);
  EXPECT_NEAR(smoothed[4], 2.122448979591837, 1e-12);
}

TEST(SmoothedAt, IsTheSameWithoutLookingAtAll) {
  std::mt19937 random(4);
  ScalarColumn column;
  std::vector<double> visible;
  std::vector<size_t> index_of;
  // A restart: 1000 points of which 100 are overwritten.
  for (int i = 0; i < 20'000; ++i) {
    const int64_t step = i < 1000 ? i : i - 100;
    const double value = i % 997 == 0 ? 1e20 : static_cast<double>(random()) / 1e9;
    column.Append(step, i, value);
    if (i < 900 || i >= 1000) {
      visible.push_back(value);
      index_of.push_back(static_cast<size_t>(i));
    }
  }
  const JoinedScalars joined(column);
  ASSERT_EQ(joined.visible_size(), visible.size());
  for (const double weight : {0.1, 0.6, 0.97, 0.999}) {
    const std::vector<double> expected = AsTensorboard(visible, weight);
    std::vector<size_t> indices;
    std::vector<double> wanted;
    for (size_t k = 0; k < visible.size(); k += 1 + random() % 900) {
      indices.push_back(index_of[k]);
      wanted.push_back(expected[k]);
    }
    const std::vector<double> smoothed = SmoothedAt(joined, indices, weight, true);
    ASSERT_EQ(smoothed.size(), wanted.size());
    for (size_t k = 0; k < wanted.size(); ++k) {
      EXPECT_NEAR(smoothed[k] / wanted[k], 1, 1e-9) << weight << " " << indices[k];
    }
  }
}

}  // namespace
}  // namespace telltale
