// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/intervals.h"

#include <algorithm>

#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"

namespace telltale {

IntervalSet Union(std::vector<Interval> intervals) {
  SortRuns(std::span(intervals),
           [](const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; });
  // In place: the set never has more members than were read.
  size_t size = 0;
  for (const Interval next : intervals) {
    if (next.start_ns >= next.end_ns) continue;
    if (size > 0 && next.start_ns <= intervals[size - 1].end_ns) {
      intervals[size - 1].end_ns = std::max(intervals[size - 1].end_ns, next.end_ns);
    } else {
      intervals[size++] = next;
    }
  }
  intervals.resize(size);
  return intervals;
}

IntervalSet Intersection(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet common;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const int64_t start = std::max(a[i].start_ns, b[j].start_ns);
    const int64_t end = std::min(a[i].end_ns, b[j].end_ns);
    if (start < end) common.push_back({start, end});
    if (a[i].end_ns < b[j].end_ns) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

IntervalSet Subtraction(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet left;
  size_t j = 0;
  for (Interval rest : a) {
    while (j < b.size() && b[j].end_ns <= rest.start_ns) ++j;
    for (size_t k = j; k < b.size() && b[k].start_ns < rest.end_ns; ++k) {
      if (rest.start_ns < b[k].start_ns) left.push_back({rest.start_ns, b[k].start_ns});
      rest.start_ns = std::max(rest.start_ns, b[k].end_ns);
      j = k;  // may reach into the next interval of `a`
    }
    if (rest.start_ns < rest.end_ns) left.push_back(rest);
  }
  return left;
}

int64_t TotalLength(std::span<const Interval> set) {
  int64_t sum = 0;
  for (const Interval& i : set) AddTo(sum, Difference(i.end_ns, i.start_ns));
  return sum;
}

bool Contains(std::span<const Interval> set, int64_t time_ns) {
  const auto after =
      std::upper_bound(set.begin(), set.end(), time_ns,
                       [](int64_t time, const Interval& i) { return time < i.start_ns; });
  return after != set.begin() && time_ns < std::prev(after)->end_ns;
}

}  // namespace telltale
