// SPDX-License-Identifier: Apache-2.0
// Arithmetic on lists of half-open time intervals [start, end). A *set* is a list that is sorted,
// disjoint and holds no empty interval; touching intervals are one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace telltale {

struct Interval {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

using IntervalSet = std::vector<Interval>;

// The moments covered by any of the intervals, which may come in any order and overlap.
[[nodiscard]] IntervalSet Union(std::vector<Interval> intervals);
[[nodiscard]] IntervalSet Intersection(std::span<const Interval> a, std::span<const Interval> b);
// The moments of `a` that are not in `b`.
[[nodiscard]] IntervalSet Subtraction(std::span<const Interval> a, std::span<const Interval> b);
[[nodiscard]] int64_t TotalLength(std::span<const Interval> set);
[[nodiscard]] bool Contains(std::span<const Interval> set, int64_t time_ns);

// Appends the union of intervals that come in order of their starts to a list; what the list held
// before stays as it is.
class UnionBuilder {
 public:
  explicit UnionBuilder(std::vector<Interval>& list) : list_(list), first_(list.size()) {}

  void Add(int64_t start_ns, int64_t end_ns) {
    if (start_ns >= end_ns) return;
    if (list_.size() > first_ && start_ns <= list_.back().end_ns) {
      if (end_ns > list_.back().end_ns) list_.back().end_ns = end_ns;
    } else {
      list_.push_back({start_ns, end_ns});
    }
  }

 private:
  std::vector<Interval>& list_;
  size_t first_;
};

}  // namespace telltale
