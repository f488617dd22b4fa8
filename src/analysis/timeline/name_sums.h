// SPDX-License-Identifier: Apache-2.0
// Sums of boxes by name and category, kept for every stretch of 4096 boxes of a row: statistics of
// a range add up the stretches inside it and look only at the boxes near its ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/box_rows.h"
#include "analysis/timeline/categories.h"
#include "analysis/timeline/file_rows.h"
#include "base/column.h"

namespace telltale {

struct BoxSums {
  uint64_t count = 0;
  int64_t total_ns = 0;
  int64_t self_ns = 0;  // without what the row below covers

  void Add(const BoxSums& other) {
    count += other.count;
    total_ns += other.total_ns;
    self_ns += other.self_ns;
  }
};

struct NameKey {
  uint32_t name = 0;  // a StringId, or a number in the names of derived spans
  TimelineCategory category = TimelineCategory::kOther;
  friend bool operator==(const NameKey&, const NameKey&) = default;
};

// By name and category, in order of their first box.
class SumsByName {
 public:
  struct Entry {
    NameKey key;
    BoxSums sums;
  };

  void Add(NameKey key, const BoxSums& sums) {
    if ((entries_.size() + 1) * 2 > slots_.size()) Grow();
    size_t slot = HashOf(key) & (slots_.size() - 1);
    while (slots_[slot] != 0 && !(entries_[slots_[slot] - 1].key == key)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    if (slots_[slot] == 0) {
      entries_.push_back({key, {}});
      slots_[slot] = static_cast<uint32_t>(entries_.size());
    }
    entries_[slots_[slot] - 1].sums.Add(sums);
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  // Forgets the entries, keeps the room.
  void Clear() {
    for (const Entry& entry : entries_) {
      size_t slot = HashOf(entry.key) & (slots_.size() - 1);
      while (slots_[slot] != 0) {
        slots_[slot] = 0;
        slot = (slot + 1) & (slots_.size() - 1);
      }
    }
    entries_.clear();
  }

 private:
  static size_t HashOf(NameKey key) {
    const uint64_t mixed =
        (uint64_t{key.name} * 16 + static_cast<uint64_t>(key.category)) * 0x9e3779b97f4a7c15;
    return mixed >> 32;
  }

  void Grow() {
    slots_.assign(std::max<size_t>(64, slots_.size() * 2), 0);
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      size_t slot = HashOf(entries_[i].key) & (slots_.size() - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i + 1;
    }
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // 0: free; else the entry's number + 1
};

// How much of a box the row below it covers, for boxes of a row in their order.
class RowBelow {
 public:
  // `below` may be null: nothing is covered.
  RowBelow(const BoxRows& boxes, BoxTimes times, const BoxRow* below, int64_t from_ns)
      : boxes_(boxes), times_(times), below_(below) {
    if (below_ != nullptr) {
      at_ = boxes_.FirstFrom(*below_, times_, from_ns);
      if (at_ > 0) --at_;  // may still be open
    }
  }

  int64_t Covered(int64_t from_ns, int64_t to_ns) {
    if (below_ == nullptr) return 0;
    int64_t covered = 0;
    for (; at_ < below_->count; ++at_) {
      const uint32_t item = boxes_.items[below_->first + at_];
      const int64_t start = times_.start(item);
      if (start >= to_ns) break;
      const int64_t end = times_.end(item);
      if (end > from_ns) covered += std::min(end, to_ns) - std::max(start, from_ns);
      if (end > to_ns) break;  // goes on below the next box
    }
    return covered;
  }

 private:
  const BoxRows& boxes_;
  const BoxTimes times_;
  const BoxRow* below_;
  uint32_t at_ = 0;
};

// The row that takes from the own time of the boxes in a row: the next one of nested tracks.
[[nodiscard]] inline const BoxRow* RowBelowOf(std::span<const BoxRow> rows, size_t row,
                                              bool nested) {
  if (!nested || rows[row].piled || row + 1 >= rows.size() || rows[row + 1].piled) return nullptr;
  return &rows[row + 1];
}

struct NameSum {
  StringId name{0};
  uint16_t count = 0;
  TimelineCategory category = TimelineCategory::kOther;
  int64_t total_ns = 0;
  int64_t self_ns = 0;
};

// Of all rows of a file. Only whole stretches, and none of those in which nearly every box has a
// name of its own: these are looked at box by box.
struct StretchSums {
  static constexpr uint32_t kStretch = 4096;
  static constexpr size_t kMostNames = 512;

  std::vector<uint32_t> first_stretch;  // by row
  std::vector<uint32_t> first_sum;      // by stretch, and one more
  Column<NameSum> sums;

  [[nodiscard]] std::span<const NameSum> Of(uint32_t stretch) const {
    return sums.span().subspan(first_sum[stretch], first_sum[stretch + 1] - first_sum[stretch]);
  }
  [[nodiscard]] size_t memory_bytes() const {
    return (first_stretch.capacity() + first_sum.capacity()) * sizeof(uint32_t) +
           sums.memory_bytes();
  }
};

[[nodiscard]] StretchSums SumStretches(const Trace& trace,
                                       std::span<const TimelineCategory> categories,
                                       const FileRows& rows, unsigned threads);

}  // namespace telltale
