// SPDX-License-Identifier: Apache-2.0
// How much of any interval a set of intervals covers: in log n, or at once for queries that come in
// order of their starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/core/intervals.h"
#include "analysis/core/sums.h"

namespace telltale {

class IntervalCover {
 public:
  IntervalCover() = default;
  explicit IntervalCover(IntervalSet set) : set_(std::move(set)) {
    before_.reserve(set_.size());
    int64_t sum = 0;
    for (const Interval& interval : set_) {
      before_.push_back(sum);
      AddTo(sum, Difference(interval.end_ns, interval.start_ns));
    }
  }

  [[nodiscard]] const IntervalSet& set() const { return set_; }
  [[nodiscard]] bool Has(int64_t time_ns) const { return Contains(set_, time_ns); }

  // The part of `time` that is covered.
  [[nodiscard]] int64_t Within(const Interval& time) const {
    if (set_.empty() || time.end_ns <= time.start_ns) return 0;
    return Difference(Until(time.end_ns, Place(time.end_ns)),
                      Until(time.start_ns, Place(time.start_ns)));
  }

  // The same; `hint` is what the query before left there, at first 0.
  [[nodiscard]] int64_t Within(const Interval& time, size_t& hint) const {
    if (set_.empty() || time.end_ns <= time.start_ns) return 0;
    hint = PlaceNear(time.start_ns, hint);
    return Difference(Until(time.end_ns, PlaceNear(time.end_ns, hint)), Until(time.start_ns, hint));
  }

 private:
  // How many intervals start at or before the time.
  [[nodiscard]] size_t Place(int64_t time_ns) const {
    const auto after =
        std::upper_bound(set_.begin(), set_.end(), time_ns,
                         [](int64_t time, const Interval& i) { return time < i.start_ns; });
    return static_cast<size_t>(after - set_.begin());
  }

  [[nodiscard]] size_t PlaceNear(int64_t time_ns, size_t place) const {
    constexpr int kMostSteps = 8;
    if (place > 0 && set_[place - 1].start_ns > time_ns) return Place(time_ns);
    for (int step = 0; step < kMostSteps; ++step) {
      if (place == set_.size() || set_[place].start_ns > time_ns) return place;
      ++place;
    }
    return Place(time_ns);
  }

  // The length of what is covered before the time, whose place is known.
  [[nodiscard]] int64_t Until(int64_t time_ns, size_t place) const {
    if (place == 0) return 0;
    const Interval& last = set_[place - 1];
    int64_t length = before_[place - 1];
    AddTo(length, Difference(std::min(time_ns, last.end_ns), last.start_ns));
    return length;
  }

  IntervalSet set_;
  std::vector<int64_t> before_;  // the length of all intervals before each
};

}  // namespace telltale
