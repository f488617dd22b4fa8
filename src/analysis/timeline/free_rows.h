// SPDX-License-Identifier: Apache-2.0
// Which rows of boxes are free at a moment, for boxes that come in order of their starts: a tree of
// the rows' ends, so that the first free row from some depth on is found in log(rows) however the
// boxes overlap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace telltale {

// Deeper than any real stack (Python stops at 1000 calls). What would lie deeper is piled up on the
// last row, so that a hostile file cannot make a million rows.
constexpr uint32_t kMostRows = 4096;

class FreeRows {
 public:
  FreeRows() { Clear(); }

  void Clear() {
    leaves_ = 64;
    ends_.assign(2 * leaves_, kFree);
  }

  // Puts a box into the first row at or below `from` that is free at its start, and says which.
  // kMostRows - 1 also when none is free.
  uint32_t Place(uint32_t from, int64_t start_ns, int64_t end_ns) {
    uint32_t row = from;
    if (row >= leaves_ || ends_[leaves_ + row] > start_ns) row = FirstFree(from, start_ns);
    if (row >= kMostRows) row = kMostRows - 1;
    while (row >= leaves_) Grow();
    Set(row, end_ns);
    return row;
  }

 private:
  static constexpr int64_t kFree = std::numeric_limits<int64_t>::min();

  // The first row >= from whose boxes have all ended; beyond the leaves if there is none.
  [[nodiscard]] uint32_t FirstFree(uint32_t from, int64_t time_ns) const {
    if (from >= leaves_) return from;
    uint32_t node = leaves_ + from;
    while (ends_[node] > time_ns) {  // nothing free here: on to the right, else up
      while ((node & 1) != 0) node /= 2;
      if (node == 0) return leaves_;  // the path was the tree's right edge
      ++node;
    }
    while (node < leaves_) node = ends_[2 * node] <= time_ns ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  void Set(uint32_t row, int64_t end_ns) {
    uint32_t node = leaves_ + row;
    ends_[node] = std::max(ends_[node], end_ns);
    for (node /= 2; node > 0; node /= 2) {
      const int64_t least = std::min(ends_[2 * node], ends_[2 * node + 1]);
      if (ends_[node] == least) break;
      ends_[node] = least;
    }
  }

  void Grow() {
    std::vector<int64_t> larger(4 * size_t{leaves_}, kFree);
    std::copy(ends_.begin() + leaves_, ends_.end(), larger.begin() + 2 * leaves_);
    leaves_ *= 2;
    ends_ = std::move(larger);
    for (uint32_t node = leaves_ - 1; node > 0; --node) {
      ends_[node] = std::min(ends_[2 * node], ends_[2 * node + 1]);
    }
  }

  uint32_t leaves_ = 0;        // a power of two
  std::vector<int64_t> ends_;  // node i has the least end of 2i and 2i + 1; leaves last
};

}  // namespace telltale
