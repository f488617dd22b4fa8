// SPDX-License-Identifier: Apache-2.0
// Natural merge sort: stable, n log(runs) comparisons. Traces hold a few ascending runs one after
// the other (operators, then runtime calls, then the next thread), so this is a linear merge where
// a general sort would start from nothing; input in order is only read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace telltale {

template <typename T, typename Less>
void SortRuns(std::span<T> items, Less less) {
  std::vector<size_t> ends;  // one past the last item of each run
  for (size_t i = 1; i < items.size(); ++i) {
    if (less(items[i], items[i - 1])) ends.push_back(i);
  }
  if (ends.empty()) return;
  ends.push_back(items.size());

  std::vector<T> buffer(items.size());
  T* from = items.data();
  T* to = buffer.data();
  while (ends.size() > 1) {
    size_t begin = 0;
    size_t merged = 0;
    for (size_t run = 0; run < ends.size(); run += 2) {
      const size_t middle = ends[run];
      const size_t end = run + 1 < ends.size() ? ends[run + 1] : middle;
      std::merge(from + begin, from + middle, from + middle, from + end, to + begin, less);
      ends[merged++] = end;
      begin = end;
    }
    ends.resize(merged);
    std::swap(from, to);
  }
  if (from != items.data()) std::copy(from, from + items.size(), items.data());
}

}  // namespace telltale
