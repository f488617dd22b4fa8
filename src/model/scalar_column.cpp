// SPDX-License-Identifier: Apache-2.0
#include "model/scalar_column.h"

#include <bit>
#include <cmath>
#include <utility>

namespace telltale {

namespace {

uint8_t BytesFor(uint64_t largest) {
  return static_cast<uint8_t>((std::bit_width(largest) + 7) / 8);
}

// Every number minus `base`, in `width` bytes each.
template <typename Get>
char* Put(std::span<const ScalarPoint> points, uint64_t base, uint8_t width, char* out, Get get) {
  if (width == 0) return out;
  for (const ScalarPoint& point : points) {
    const uint64_t number = get(point) - base;
    std::memcpy(out, &number, 8);  // the next one, or the padding, is written over the rest
    out += width;
  }
  return out;
}

uint64_t StepBits(const ScalarPoint& point) { return static_cast<uint64_t>(point.step); }
uint64_t WallBits(const ScalarPoint& point) { return std::bit_cast<uint64_t>(point.wall_time); }
uint64_t ValueBits(const ScalarPoint& point) { return std::bit_cast<uint64_t>(point.value); }

void DescribeSteps(std::span<const ScalarPoint> points, ScalarColumn::Block& block) {
  const uint64_t stride = points.size() > 1 ? StepBits(points[1]) - StepBits(points[0]) : 0;
  int64_t low = points[0].step;
  int64_t high = low;
  bool even = true;
  bool sorted = true;
  for (size_t i = 1; i < points.size(); ++i) {
    even &= StepBits(points[i]) - StepBits(points[i - 1]) == stride;
    sorted &= points[i - 1].step <= points[i].step;
    low = std::min(low, points[i].step);
    high = std::max(high, points[i].step);
  }
  block.steps_sorted = sorted;
  block.step_stride = even ? stride : 0;
  block.step_base = even ? StepBits(points[0]) : static_cast<uint64_t>(low);
  block.step_bytes = even ? 0 : BytesFor(static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
}

void DescribeWalls(std::span<const ScalarPoint> points, ScalarColumn::Block& block) {
  uint64_t low = WallBits(points[0]);
  uint64_t high = low;
  bool sorted = !std::isnan(points[0].wall_time);
  for (size_t i = 1; i < points.size(); ++i) {
    sorted &= points[i - 1].wall_time <= points[i].wall_time;
    low = std::min(low, WallBits(points[i]));
    high = std::max(high, WallBits(points[i]));
  }
  block.walls_sorted = sorted;
  block.first_wall = points.front().wall_time;
  block.last_wall = points.back().wall_time;
  block.wall_base = low;
  block.wall_bytes = BytesFor(high - low);
}

void DescribeValues(std::span<const ScalarPoint> points, ScalarColumn::Block& block) {
  block.value_base = ValueBits(points[0]);
  bool same = true;
  bool short_floats = true;
  for (size_t i = 0; i < points.size(); ++i) {
    const double value = points[i].value;
    same &= ValueBits(points[i]) == block.value_base;
    short_floats &=
        std::bit_cast<uint64_t>(double{static_cast<float>(value)}) == ValueBits(points[i]);
    if (!std::isfinite(value)) {
      block.has_non_finite = true;
      continue;
    }
    if (!block.has_finite || value < block.min) {
      block.min = value;
      block.min_at = static_cast<uint8_t>(i);
    }
    if (!block.has_finite || value > block.max) {
      block.max = value;
      block.max_at = static_cast<uint8_t>(i);
    }
    block.has_finite = true;
  }
  block.value_bytes = same ? 0 : short_floats ? 4 : 8;
}

}  // namespace

void ScalarColumn::Flush() {
  if (tail_.empty()) return;
  const std::span<const ScalarPoint> points = tail_;
  Block block;
  block.first_index = packed_;
  block.last = static_cast<uint8_t>(points.size() - 1);
  block.offset = bytes_.empty() ? 0 : bytes_.size() - kPadding;
  DescribeSteps(points, block);
  DescribeWalls(points, block);
  DescribeValues(points, block);

  const size_t width = size_t{block.step_bytes} + block.wall_bytes + block.value_bytes;
  blocks_.push_back(block);
  bytes_.resize(block.offset + points.size() * width + kPadding);
  char* out = bytes_.data() + block.offset;
  out = Put(points, block.step_base, block.step_bytes, out, StepBits);
  out = Put(points, block.wall_base, block.wall_bytes, out, WallBits);
  if (block.value_bytes == 4) {
    for (const ScalarPoint& point : points) {
      const auto value = static_cast<float>(point.value);
      std::memcpy(out, &value, 4);
      out += 4;
    }
  } else if (block.value_bytes == 8) {
    Put(points, 0, 8, out, ValueBits);
  }
  packed_ += points.size();
  tail_.clear();
}

void ScalarColumn::OpenTail() {
  // Room for few points at first: many columns have few.
  if (tail_.capacity() == 0) tail_.reserve(8);
  if (blocks_.empty() || blocks_.back().count() == kBlockPoints) return;
  const Block block = blocks_.back();
  for (size_t i = 0; i < block.count(); ++i) tail_.push_back(At(block, i));
  blocks_.pop_back();
  packed_ = block.first_index;
  bytes_.resize(block.offset + kPadding);
}

void ScalarColumn::Append(const ScalarColumn& other) {
  // Taking blocks as they are leaves one behind that is not full; that pays for long columns only.
  if (other.blocks_.size() < 2) {
    other.ForEach([this](size_t, const ScalarPoint& point) {
      Append(point.step, point.wall_time, point.value);
    });
    return;
  }
  Flush();
  const size_t base = bytes_.empty() ? 0 : bytes_.size() - kPadding;
  bytes_.resize(base);
  bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
  blocks_.reserve(blocks_.size() + other.blocks_.size());
  for (Block block : other.blocks_) {
    block.first_index += packed_;
    block.offset += base;
    blocks_.push_back(block);
  }
  packed_ += other.packed_;
  for (const ScalarPoint& point : other.tail_) {
    Append(point.step, point.wall_time, point.value);
  }
}

std::optional<ScalarColumn> ScalarColumn::FromBlocks(std::vector<Block> blocks,
                                                     std::span<const char> bytes) {
  ScalarColumn column;
  uint64_t offset = 0;
  for (const Block& block : blocks) {
    const bool has_widths =
        block.step_bytes <= 8 && block.wall_bytes <= 8 &&
        (block.value_bytes == 0 || block.value_bytes == 4 || block.value_bytes == 8);
    if (!has_widths || block.last >= kBlockPoints || block.min_at > block.last ||
        block.max_at > block.last || block.first_index != column.packed_ ||
        block.offset != offset) {
      return std::nullopt;
    }
    column.packed_ += block.count();
    offset += block.count() * (size_t{block.step_bytes} + block.wall_bytes + block.value_bytes);
  }
  if (bytes.size() != (blocks.empty() ? 0 : offset + kPadding)) return std::nullopt;
  column.bytes_.assign(bytes.begin(), bytes.end());
  column.blocks_ = std::move(blocks);
  return column;
}

void ScalarColumn::ShrinkToFit() {
  Flush();
  tail_.shrink_to_fit();
  bytes_.shrink_to_fit();
  blocks_.shrink_to_fit();
}

}  // namespace telltale
