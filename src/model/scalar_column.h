// SPDX-License-Identifier: Apache-2.0
// The points of one tag in one file, packed: about nine bytes each, every bit of step, wall time
// and value kept, in the order in which they were written. Grows at its end only. Several threads
// may read while nobody appends; whoever owns it has the lock.
//
// A block is up to 128 points. Of each of its three rows, step, bits of the wall time and bits of
// the value, it keeps a base and what every point adds to it, in as few bytes as all of them need
// (0: all are the same, or as far apart as the first two). A block also knows its smallest and
// largest value and when it begins and ends, so that a picture of millions of points looks at few
// of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace telltale {

struct ScalarPoint {
  int64_t step = 0;
  double wall_time = 0;  // seconds since 1970
  double value = 0;
};

class ScalarColumn {
 public:
  static constexpr size_t kBlockPoints = 128;

  // What a block says without its points being looked at.
  struct Block {
    uint64_t first_index = 0;  // of its first point in the column
    uint64_t offset = 0;       // of its bytes
    uint64_t step_base = 0;
    uint64_t step_stride = 0;  // between neighbours; 0 unless they are all as far apart
    uint64_t wall_base = 0;
    uint64_t value_base = 0;
    double first_wall = 0;
    double last_wall = 0;
    double min = 0;  // of the finite values
    double max = 0;
    uint8_t last = 0;  // count - 1
    uint8_t step_bytes = 0;
    uint8_t wall_bytes = 0;
    uint8_t value_bytes = 0;  // 4: float32, which is exact for all of them; 8: as it is
    // Places, within the block, of the smallest and the largest finite value; the first of equals.
    uint8_t min_at = 0;
    uint8_t max_at = 0;
    bool has_finite : 1 = false;      // else min_at and max_at mean nothing
    bool has_non_finite : 1 = false;  // a NaN or an infinity
    bool steps_sorted : 1 = false;    // none is smaller than the one before it, in this block
    bool walls_sorted : 1 = false;    // likewise; false with a NaN among them

    [[nodiscard]] size_t count() const { return size_t{last} + 1; }
  };

  void Append(int64_t step, double wall_time, double value) {
    if (tail_.size() == kBlockPoints) Flush();
    if (tail_.empty()) OpenTail();
    tail_.push_back({step, wall_time, value});
  }
  // All points of `other` behind ours.
  void Append(const ScalarColumn& other);

  [[nodiscard]] size_t size() const { return packed_ + tail_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  // i < size().
  [[nodiscard]] ScalarPoint operator[](size_t i) const {
    if (i >= packed_) return tail_[i - packed_];
    const Block& block = blocks_[BlockOf(i)];
    return At(block, i - block.first_index);
  }
  [[nodiscard]] ScalarPoint back() const { return (*this)[size() - 1]; }

  // Calls use(index, point) for begin <= index < end, in order.
  template <typename Use>
  void ForEach(size_t begin, size_t end, Use use) const {
    end = std::min(end, size());
    size_t i = begin;
    if (i < end && i < packed_) {
      for (size_t b = BlockOf(i); b < blocks_.size() && i < end; ++b) {
        const Block& block = blocks_[b];
        const size_t stop = std::min(end, block.first_index + block.count());
        for (; i < stop; ++i) use(i, At(block, i - block.first_index));
      }
    }
    for (; i < end; ++i) use(i, tail_[i - packed_]);
  }
  template <typename Use>
  void ForEach(Use use) const {
    ForEach(0, size(), use);
  }

  // As ForEach, but first asks use_block(block) of each block that is inside as a whole; if it
  // returns true, its points are not looked at.
  template <typename UseBlock, typename Use>
  void ForEachBlock(size_t begin, size_t end, UseBlock use_block, Use use) const {
    end = std::min(end, size());
    size_t i = begin;
    if (i < end && i < packed_) {
      for (size_t b = BlockOf(i); b < blocks_.size() && i < end; ++b) {
        const Block& block = blocks_[b];
        const size_t block_end = block.first_index + block.count();
        const bool whole = i == block.first_index && block_end <= end;
        const size_t stop = std::min(end, block_end);
        if (whole && use_block(block)) i = stop;
        for (; i < stop; ++i) use(i, At(block, i - block.first_index));
      }
    }
    for (; i < end; ++i) use(i, tail_[i - packed_]);
  }

  // The blocks hold the first packed() points; those behind are in none yet.
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] size_t packed() const { return packed_; }
  // Of a point below packed().
  [[nodiscard]] size_t BlockOf(size_t index) const {
    size_t b = std::min(index / kBlockPoints, blocks_.size() - 1);
    if (blocks_[b].first_index <= index && index < blocks_[b].first_index + blocks_[b].count()) {
      return b;  // nearly all blocks are full
    }
    const auto at =
        std::upper_bound(blocks_.begin(), blocks_.end(), index,
                         [](size_t i, const Block& block) { return i < block.first_index; });
    return static_cast<size_t>(at - blocks_.begin()) - 1;
  }
  [[nodiscard]] ScalarPoint At(const Block& block, size_t i) const {
    return {StepAt(block, i), WallAt(block, i), ValueAt(block, i)};
  }
  [[nodiscard]] int64_t StepAt(const Block& block, size_t i) const {
    const uint64_t plus = Number(bytes_.data() + block.offset, block.step_bytes, i);
    return static_cast<int64_t>(block.step_base + block.step_stride * i + plus);
  }
  [[nodiscard]] double WallAt(const Block& block, size_t i) const {
    const char* const row = bytes_.data() + block.offset + block.count() * block.step_bytes;
    return std::bit_cast<double>(block.wall_base + Number(row, block.wall_bytes, i));
  }
  [[nodiscard]] double ValueAt(const Block& block, size_t i) const {
    const char* const row = bytes_.data() + block.offset +
                            block.count() * (size_t{block.step_bytes} + block.wall_bytes);
    if (block.value_bytes == 0) return std::bit_cast<double>(block.value_base);
    if (block.value_bytes == 4) {
      float value = 0;
      std::memcpy(&value, row + 4 * i, 4);
      return double{value};
    }
    double value = 0;
    std::memcpy(&value, row + 8 * i, 8);
    return value;
  }

  // Gives back what is not needed; the next points cost a little more.
  void ShrinkToFit();
  // As it is kept elsewhere: what blocks() and these bytes say. No point may be outside of blocks
  // (ShrinkToFit). Nothing: no column has such blocks and bytes.
  [[nodiscard]] std::span<const char> bytes() const { return bytes_; }
  [[nodiscard]] static std::optional<ScalarColumn> FromBlocks(std::vector<Block> blocks,
                                                              std::span<const char> bytes);
  [[nodiscard]] size_t memory_bytes() const {
    return bytes_.capacity() + blocks_.capacity() * sizeof(Block) +
           tail_.capacity() * sizeof(ScalarPoint);
  }

 private:
  // A number of `width` bytes may be read as one of eight.
  static constexpr size_t kPadding = 8;

  static uint64_t Number(const char* row, uint8_t width, size_t i) {
    static_assert(std::endian::native == std::endian::little);
    if (width == 0) return 0;
    uint64_t number = 0;
    std::memcpy(&number, row + width * i, 8);
    return number & (~uint64_t{0} >> (64 - 8 * width));
  }

  void Flush();     // the tail becomes a block
  void OpenTail();  // a last block that is not full becomes the tail again

  std::vector<char> bytes_;  // of all blocks, and kPadding more where there are any
  std::vector<Block> blocks_;
  size_t packed_ = 0;  // points in blocks
  std::vector<ScalarPoint> tail_;
};

}  // namespace telltale
