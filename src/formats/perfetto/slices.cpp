// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/slices.h"

#include <algorithm>

namespace telltale::perfetto {

namespace {

bool IsEnd(const SliceMark& mark) { return mark.row == SliceMark::kEnd; }

// Runs of n beginnings and then n ends, where the n-th end fits the n-th beginning in time.
bool IsGrouped(const std::vector<SliceMark>& marks) {
  for (size_t i = 0; i < marks.size();) {
    const size_t first = i;
    while (i < marks.size() && !IsEnd(marks[i])) ++i;
    const size_t count = i - first;
    for (size_t j = 0; j < count; ++j) {
      if (i + j >= marks.size() || !IsEnd(marks[i + j])) return false;
      if (marks[i + j].time_ns < marks[first + j].time_ns) return false;
    }
    i += count;
    if (count == 0) return false;
  }
  return true;
}

// Stable. Most files hold all ends of a track in order of time and then the beginnings, or begin
// with another long run in order: that run is only merged with the rest.
template <typename Less>
void SortByTime(std::vector<SliceMark>& marks, Less less) {
  const auto rest = std::is_sorted_until(marks.begin(), marks.end(), less);
  if (!std::is_sorted(rest, marks.end(), less)) std::stable_sort(rest, marks.end(), less);
  std::inplace_merge(marks.begin(), rest, marks.end(), less);
}

}  // namespace

void PairSlices(std::vector<SliceMark>& marks, PairedSlices& paired) {
  const auto earlier = [](const SliceMark& a, const SliceMark& b) { return a.time_ns < b.time_ns; };
  if (!std::is_sorted(marks.begin(), marks.end(), earlier)) {
    if (IsGrouped(marks)) {
      for (size_t i = 0; i < marks.size();) {
        size_t count = 0;
        while (i + count < marks.size() && !IsEnd(marks[i + count])) ++count;
        for (size_t j = 0; j < count; ++j) {
          paired.ends.push_back({marks[i + j].row, marks[i + count + j].time_ns});
        }
        i += 2 * count;
      }
      return;
    }
    SortByTime(marks, earlier);
  }
  std::vector<uint32_t> open;
  for (const SliceMark& mark : marks) {
    if (!IsEnd(mark)) {
      open.push_back(mark.row);
    } else if (open.empty()) {
      ++paired.never_begun;
    } else {
      paired.ends.push_back({open.back(), mark.time_ns});
      open.pop_back();
    }
  }
  paired.never_ended.insert(paired.never_ended.end(), open.begin(), open.end());
}

}  // namespace telltale::perfetto
