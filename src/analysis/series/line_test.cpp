// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;

ScalarColumn Noise(size_t count, double bad_share = 0) {
  std::mt19937 random(9);
  std::normal_distribution<double> noise;
  ScalarColumn column;
  double time = 1.79e9;
  for (size_t i = 0; i < count; ++i) {
    time += 0.1 + 0.01 * noise(random);
    double value = noise(random);
    if (static_cast<double>(random() % 1000) < 1000 * bad_share) {
      value = std::numeric_limits<double>::quiet_NaN();
    }
    column.Append(static_cast<int64_t>(i), time, value);
  }
  return column;
}

// For every pixel of `request`: what a line of all points has there, by looking at all.
struct Extent {
  double first = 0;
  double last = 0;
  double low = INFINITY;
  double high = -INFINITY;
  bool bad = false;
  size_t count = 0;
  void See(double y) {
    if (count++ == 0) first = y;
    last = y;
    if (!std::isfinite(y)) {
      bad = true;
      return;
    }
    low = std::min(low, y);
    high = std::max(high, y);
  }
  friend bool operator==(const Extent& a, const Extent& b) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return same(a.first, b.first) && same(a.last, b.last) && a.low == b.low && a.high == b.high &&
           a.bad == b.bad;
  }
};
std::map<size_t, Extent> Extents(const std::vector<double>& x, const std::vector<double>& y,
                                 double from, double to, size_t width) {
  std::map<size_t, Extent> extents;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] >= from && x[i] <= to)) continue;
    const double pixel = (x[i] - from) / (to - from) * static_cast<double>(width);
    extents[std::min(static_cast<size_t>(pixel), width - 1)].See(y[i]);
  }
  return extents;
}

void ExpectCoversAllPixels(const ScalarColumn& column, LineRequest request) {
  const JoinedScalars joined(column);
  std::vector<double> x;
  std::vector<double> y;
  const double first = column[0].wall_time;
  column.ForEach([&](size_t, const ScalarPoint& point) {
    x.push_back(request.axis == LineAxis::kStep       ? static_cast<double>(point.step)
                : request.axis == LineAxis::kRelative ? point.wall_time - first
                                                      : point.wall_time);
    y.push_back(point.value);
  });
  const double from = request.from.value_or(x.front());
  const double to = request.to.value_or(x.back());
  const Line line = MakeLine(joined, request);
  EXPECT_EQ(Extents(line.x, line.y, from, to, request.width),
            Extents(x, y, from, to, request.width));
  EXPECT_LE(line.size(), 5 * request.width + 2);
  EXPECT_EQ(line.total, static_cast<size_t>(std::ranges::count_if(
                            x, [&](double at) { return at >= from && at <= to; })));
}

TEST(Line, CoversThePixelsOfAllPoints) {
  for (const size_t count : {1000U, 40'000U, 300'000U}) {
    ScalarColumn column = Noise(count);
    ExpectCoversAllPixels(column, {.width = 100});
    ExpectCoversAllPixels(column, {.axis = LineAxis::kRelative, .width = 100});
    ExpectCoversAllPixels(column, {.axis = LineAxis::kWall, .width = 37});
    const double middle = static_cast<double>(count) / 2;
    ExpectCoversAllPixels(column, {.from = middle - 300.5, .to = middle + 9000, .width = 100});
    column.ShrinkToFit();
    ExpectCoversAllPixels(column, {.width = 613});
  }
}

TEST(Line, CoversPixelsWithNan) {
  ExpectCoversAllPixels(Noise(50'000, 0.01), {.width = 100});
  ExpectCoversAllPixels(Noise(50'000, 1), {.width = 100});
}

TEST(Line, KeepsAllWhereThereAreFew) {
  ScalarColumn column;
  for (int i = 0; i < 5; ++i) column.Append(i * 10, i, i);
  const Line line = MakeLine(JoinedScalars(column), {.width = 100});
  EXPECT_THAT(line.x, ElementsAre(0, 10, 20, 30, 40));
  EXPECT_THAT(line.y, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(line.reduced);
  EXPECT_EQ(line.total, 5U);
}

TEST(Line, ReachesBeyondTheEdgesOfAZoom) {
  ScalarColumn column;
  for (int i = 0; i < 10; ++i) column.Append(i * 10, i, i);
  const Line line = MakeLine(JoinedScalars(column), {.from = 25, .to = 47, .width = 100});
  EXPECT_THAT(line.x, ElementsAre(20, 30, 40, 50));
  EXPECT_EQ(line.total, 2U);
  // Between two points.
  const Line between = MakeLine(JoinedScalars(column), {.from = 22, .to = 27, .width = 100});
  EXPECT_THAT(between.x, ElementsAre(20, 30));
  EXPECT_EQ(between.total, 0U);
}

TEST(Line, BreaksBetweenSegmentsAndHidesWhatWasOverwritten) {
  ScalarColumn column;
  for (const int64_t step : {0, 1, 2, 3, 1, 2}) column.Append(step, 0, static_cast<double>(step));
  const Line hidden = MakeLine(JoinedScalars(column), {.width = 100});
  ASSERT_EQ(hidden.size(), 4U);
  EXPECT_EQ(hidden.x[0], 0);
  EXPECT_TRUE(std::isnan(hidden.x[1]));
  EXPECT_TRUE(std::isnan(hidden.y[1]));
  EXPECT_EQ(hidden.x[2], 1);
  const Line all = MakeLine(JoinedScalars(column), {.width = 100, .hide_overwritten = false});
  EXPECT_EQ(all.size(), 7U);
}

TEST(Line, ReducesAConstantStep) {
  ScalarColumn column;
  for (int i = 0; i < 5000; ++i) column.Append(0, i, i % 100);
  const Line line = MakeLine(JoinedScalars(column), {.width = 100});
  EXPECT_EQ(line.total, 5000U);
  EXPECT_LE(line.size(), 5U);
  EXPECT_EQ(*std::ranges::max_element(line.y), 99);
}

TEST(Line, TakesAnotherTagAsItsAxis) {
  ScalarColumn column;
  ScalarColumn other;
  for (int i = 0; i < 10; ++i) column.Append(i, 0, i);
  for (int i = 0; i < 10; i += 2) other.Append(i, 0, 100 - i);
  const JoinedScalars axis(other);
  const Line line =
      MakeLine(JoinedScalars(column), {.axis = LineAxis::kOther, .other = &axis, .width = 100});
  EXPECT_THAT(line.x, ElementsAre(100, 98, 96, 94, 92));
  EXPECT_THAT(line.y, ElementsAre(0, 2, 4, 6, 8));
}

TEST(Line, StaysBoundedWhenTheClockJumps) {
  ScalarColumn column;
  for (int i = 0; i < 20'000; ++i) column.Append(i, i % 2 == 0 ? i : 20'000 - i, i % 7);
  const Line line = MakeLine(JoinedScalars(column), {.axis = LineAxis::kWall, .width = 100});
  EXPECT_LE(line.size(), 500U);
  EXPECT_EQ(line.total, 20'000U);
  EXPECT_TRUE(line.reduced);
}

TEST(Line, OfNothingIsEmpty) {
  const ScalarColumn column;
  EXPECT_EQ(MakeLine(JoinedScalars(column), {}).size(), 0U);
  ScalarColumn nowhere;
  nowhere.Append(1, std::numeric_limits<double>::quiet_NaN(), 1);
  EXPECT_EQ(MakeLine(JoinedScalars(nowhere), {.axis = LineAxis::kWall}).size(), 0U);
}

}  // namespace
}  // namespace telltale
