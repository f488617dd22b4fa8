// SPDX-License-Identifier: Apache-2.0
#include "model/scalar_column.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace telltale {
namespace {

bool SameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// Every way to read says the same.
void ExpectHolds(const ScalarColumn& column, const std::vector<ScalarPoint>& points) {
  ASSERT_EQ(column.size(), points.size());
  size_t next = 0;
  column.ForEach([&](size_t i, const ScalarPoint& point) {
    ASSERT_EQ(i, next);
    ASSERT_EQ(point.step, points[i].step) << i;
    ASSERT_TRUE(SameBits(point.wall_time, points[i].wall_time)) << i;
    ASSERT_TRUE(SameBits(point.value, points[i].value)) << i << ": " << point.value;
    const ScalarPoint same = column[i];
    ASSERT_EQ(same.step, point.step);
    ASSERT_TRUE(SameBits(same.wall_time, point.wall_time));
    ASSERT_TRUE(SameBits(same.value, point.value));
    ++next;
  });
  ASSERT_EQ(next, points.size());
  for (const ScalarColumn::Block& block : column.blocks()) {
    bool sorted = true;
    bool non_finite = false;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (size_t i = 0; i < block.count(); ++i) {
      const ScalarPoint& point = points[block.first_index + i];
      sorted &= i == 0 || points[block.first_index + i - 1].step <= point.step;
      non_finite |= !std::isfinite(point.value);
      if (!std::isfinite(point.value)) continue;
      low = std::min(low, point.value);
      high = std::max(high, point.value);
    }
    EXPECT_TRUE(SameBits(block.first_wall, points[block.first_index].wall_time));
    EXPECT_TRUE(SameBits(block.last_wall, points[block.first_index + block.last].wall_time));
    if (block.has_finite) {
      EXPECT_EQ(block.min, low);
      EXPECT_EQ(block.max, high);
    }
    EXPECT_EQ(block.steps_sorted, sorted);
    EXPECT_EQ(block.has_non_finite, non_finite);
    EXPECT_EQ(block.has_finite, low <= high);
    if (low > high) continue;
    EXPECT_EQ(column.ValueAt(block, block.min_at), low);
    EXPECT_EQ(column.ValueAt(block, block.max_at), high);
  }
}

void Fill(ScalarColumn& column, const std::vector<ScalarPoint>& points) {
  for (const ScalarPoint& point : points) column.Append(point.step, point.wall_time, point.value);
}

// As a training logs: every n-th step, a few of them a second, float32.
std::vector<ScalarPoint> Training(size_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> noise(0, 1);
  std::vector<ScalarPoint> points;
  double time = 1'790'000'000.25;
  for (size_t i = 0; i < count; ++i) {
    time += 0.05 + 0.02 * noise(random);
    points.push_back(
        {static_cast<int64_t>(i) * 10, time, double{static_cast<float>(noise(random))}});
  }
  return points;
}

std::vector<ScalarPoint> Hostile() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<ScalarPoint> points = {
      {INT64_MIN, nan, nan},      {INT64_MAX, -kInfinity, kInfinity},
      {0, kInfinity, -kInfinity}, {-1, -1.5, -0.0},
      {int64_t{1} << 62, 0, 0.0}, {5, 1e308, 1e308},
      {5, 5e-324, 5e-324},        {4, 1.7e9, 0.1},
      {INT64_MIN, 1.7e9, 1e-30},  {INT64_MAX, 1.7e9, -nan},
  };
  std::mt19937_64 random(3);
  for (size_t i = 0; i < 1000; ++i) {
    points.push_back({static_cast<int64_t>(random()), std::bit_cast<double>(random()),
                      std::bit_cast<double>(random())});
  }
  return points;
}

TEST(ScalarColumn, KeepsEveryBit) {
  for (const size_t count : {0U, 1U, 2U, 127U, 128U, 129U, 255U, 256U, 257U, 10000U}) {
    const std::vector<ScalarPoint> points = Training(count);
    ScalarColumn column;
    Fill(column, points);
    ExpectHolds(column, points);
    column.ShrinkToFit();
    ExpectHolds(column, points);
  }
  ScalarColumn column;
  Fill(column, Hostile());
  ExpectHolds(column, Hostile());
}

TEST(ScalarColumn, KeepsDoublesThatNoFloatHolds) {
  std::vector<ScalarPoint> points;
  for (int i = 0; i < 300; ++i) points.push_back({i, 1.0, 0.1 * i});
  ScalarColumn column;
  Fill(column, points);
  ExpectHolds(column, points);
}

TEST(ScalarColumn, GrowsOnAfterItWasShrunk) {
  const std::vector<ScalarPoint> points = Training(1000);
  ScalarColumn column;
  for (const ScalarPoint& point : points) {
    column.Append(point.step, point.wall_time, point.value);
    if (column.size() % 37 == 0) column.ShrinkToFit();
  }
  ExpectHolds(column, points);
  column.ShrinkToFit();
  for (size_t b = 0; b + 1 < column.blocks().size(); ++b) {
    EXPECT_EQ(column.blocks()[b].count(), ScalarColumn::kBlockPoints);
  }
}

TEST(ScalarColumn, TakesColumnsOfAnyLengthBehindIt) {
  const std::vector<ScalarPoint> points = Training(5000);
  const std::vector<size_t> lengths = {0, 1, 128, 127, 300, 3, 129, 0, 700, 640, 256};
  ScalarColumn column;
  size_t at = 0;
  for (size_t part = 0; at < points.size(); ++part) {
    ScalarColumn piece;
    const size_t end = std::min(points.size(), at + lengths[part % lengths.size()]);
    for (; at < end; ++at) piece.Append(points[at].step, points[at].wall_time, points[at].value);
    if (part % 3 == 0) piece.ShrinkToFit();
    column.Append(piece);
  }
  ExpectHolds(column, points);
}

TEST(ScalarColumn, IsMadeOfItsBlocksAndOfNoOthers) {
  ScalarColumn column;
  std::vector<ScalarPoint> points;
  for (int i = 0; i < 300; ++i) {
    points.push_back({i * i, 1.79e9 + 0.1 * i, i % 7 == 0 ? 0.1 * i : i});
    column.Append(points.back().step, points.back().wall_time, points.back().value);
  }
  column.ShrinkToFit();
  const std::vector<char> bytes(column.bytes().begin(), column.bytes().end());
  std::optional<ScalarColumn> same = ScalarColumn::FromBlocks(column.blocks(), bytes);
  ASSERT_TRUE(same);
  ExpectHolds(*same, points);
  // It grows on.
  points.push_back({5, 6, 7});
  same->Append(5, 6, 7);
  ExpectHolds(*same, points);

  EXPECT_TRUE(ScalarColumn::FromBlocks({}, {}));
  EXPECT_FALSE(ScalarColumn::FromBlocks(column.blocks(), std::span(bytes).first(100)));
  EXPECT_FALSE(ScalarColumn::FromBlocks({}, bytes));
  const auto refuses = [&](auto change) {
    std::vector<ScalarColumn::Block> blocks = column.blocks();
    change(blocks[1]);
    EXPECT_FALSE(ScalarColumn::FromBlocks(blocks, bytes));
  };
  refuses([](ScalarColumn::Block& block) { block.first_index = 0; });
  refuses([](ScalarColumn::Block& block) { block.offset += 1; });
  refuses([](ScalarColumn::Block& block) { block.last = 255; });
  refuses([](ScalarColumn::Block& block) { block.step_bytes = 9; });
  refuses([](ScalarColumn::Block& block) { block.wall_bytes = 200; });
  refuses([](ScalarColumn::Block& block) { block.value_bytes = 3; });
  refuses([](ScalarColumn::Block& block) { block.min_at = 128; });
  refuses([](ScalarColumn::Block& block) { block.max_at = 128; });
}

TEST(ScalarColumn, LooksAtWholeBlocksOnly) {
  ScalarColumn column;
  for (int i = 0; i < 300; ++i) column.Append(i, i, i);
  for (const auto& [begin, end] : {std::pair(0U, 300U), {1U, 300U}, {0U, 255U}, {128U, 256U}}) {
    size_t next = begin;
    column.ForEachBlock(
        begin, end,
        [&](const ScalarColumn::Block& block) {
          if (block.first_index == 0) return false;
          EXPECT_EQ(block.first_index, next);
          next += block.count();
          return true;
        },
        [&](size_t i, const ScalarPoint& point) {
          EXPECT_EQ(i, next++);
          EXPECT_EQ(point.step, static_cast<int64_t>(i));
        });
    EXPECT_EQ(next, end);
  }
}

TEST(ScalarColumn, ReadsAnyRange) {
  const std::vector<ScalarPoint> points = Training(700);
  ScalarColumn column;
  Fill(column, points);
  for (size_t begin = 0; begin <= 700; begin += 61) {
    for (size_t end = begin; end <= 720; end += 97) {
      size_t next = begin;
      column.ForEach(begin, end, [&](size_t i, const ScalarPoint& point) {
        ASSERT_EQ(i, next++);
        ASSERT_EQ(point.step, points[i].step);
      });
      EXPECT_EQ(next, std::max(begin, std::min<size_t>(end, 700)));
    }
  }
}

TEST(ScalarColumn, TakesFewBytesAPoint) {
  constexpr size_t kPoints = 100'000;
  ScalarColumn column;
  Fill(column, Training(kPoints));
  column.ShrinkToFit();
  EXPECT_LT(column.memory_bytes(), 10 * kPoints);
  // A thousand points, as most runs have.
  ScalarColumn small;
  Fill(small, Training(1000));
  small.ShrinkToFit();
  EXPECT_LT(small.memory_bytes(), 10 * size_t{1000});
  // Nothing is as large as its numbers themselves, whatever they are.
  ScalarColumn worst;
  const std::vector<ScalarPoint> hostile = Hostile();
  Fill(worst, hostile);
  worst.ShrinkToFit();
  EXPECT_LT(worst.memory_bytes(), 26 * hostile.size());
}

}  // namespace
}  // namespace telltale
