// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/joined.h"

#include <limits>

namespace telltale {

void JoinedScalars::AddPart(const ScalarColumn& column) {
  if (column.empty()) return;
  parts_.push_back({&column, size_});
  size_ += column.size();
}

JoinedScalars::JoinedScalars(const ScalarColumn& column) {
  AddPart(column);
  FindSegments({});
}

JoinedScalars::JoinedScalars(std::span<const SeriesSet* const> files, std::string_view tag) {
  std::vector<Beginning> said;
  for (const SeriesSet* const file : files) {
    const SeriesTag* const found = file->Find(tag, "scalars");
    if (found == nullptr) {
      for (const Restart& restart : file->restarts) said.push_back({size_, restart.step});
      continue;
    }
    for (const RestartMark& mark : found->restarts) {
      said.push_back({size_ + mark.first_index, mark.step});
    }
    AddPart(found->scalars);
  }
  FindSegments(std::move(said));
}

void JoinedScalars::FindSegments(std::vector<Beginning> said) {
  // Where steps go back. Most blocks say that theirs do not.
  std::vector<Beginning> back;
  int64_t last = std::numeric_limits<int64_t>::min();
  const auto see = [&](size_t i, int64_t step) {
    if (step < last) back.push_back({i, step});
    last = step;
  };
  ForEachBlock(
      0, size_,
      [&](size_t first, const ScalarColumn& column, const ScalarColumn::Block& block) {
        if (!block.steps_sorted) return false;
        see(first, column.StepAt(block, 0));
        last = column.StepAt(block, block.last);
        return true;
      },
      [&](size_t i, const ScalarPoint& point) { see(i, point.step); });

  std::vector<Beginning> all(said.size() + back.size());
  std::merge(said.begin(), said.end(), back.begin(), back.end(), all.begin(),
             [](const Beginning& a, const Beginning& b) { return a.index < b.index; });

  // From the end: what is hidden before each beginning follows from the smallest step behind it.
  int64_t overwritten = std::numeric_limits<int64_t>::max();
  bool any = false;
  size_t end = size_;
  for (size_t k = all.size() + 1; k-- > 0;) {
    const size_t begin = k == 0 ? 0 : all[k - 1].index;
    if (begin < end) {
      size_t visible_end = end;
      if (any && (*this)[end - 1].step >= overwritten) {
        size_t low = begin;
        while (low < visible_end) {
          const size_t middle = low + (visible_end - low) / 2;
          if ((*this)[middle].step >= overwritten) {
            visible_end = middle;
          } else {
            low = middle + 1;
          }
        }
      }
      segments_.push_back({begin, visible_end, end});
      visible_size_ += visible_end - begin;
      end = begin;
    }
    if (k > 0) {
      overwritten = any ? std::min(overwritten, all[k - 1].step) : all[k - 1].step;
      any = true;
    }
  }
  std::reverse(segments_.begin(), segments_.end());
}

bool JoinedScalars::hidden(size_t i) const {
  const auto at = std::upper_bound(segments_.begin(), segments_.end(), i,
                                   [](size_t index, const Segment& s) { return index < s.begin; });
  return i >= (at - 1)->visible_end;
}

}  // namespace telltale
