// SPDX-License-Identifier: Apache-2.0
// Finds the parent of each interval on one thread: the innermost earlier one that contains it
// whole, in n log n whatever the input. Feed the intervals ordered by start, then longer first,
// then file order; "innermost" is the latest in that order.
//
// Containing means: still open when the child starts (its end > the child's start) and not ended
// before the child's end. So an event that starts where another ends is not inside it, and an event
// of length zero is never a parent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace telltale {

class OpenIntervals {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Place {
    uint32_t parent;
    bool partial_overlap;  // with any interval that is still open
  };

  // Only the intervals that are not overtaken stay on the stack. An interval is overtaken when a
  // later one ends after it: whatever the first contains from then on, the later one contains too,
  // and it is the more inner one. So one stack suffices even where intervals overlap without
  // nesting. The ends of overtaken intervals are kept only to tell later partial overlaps.
  Place Add(uint32_t id, int64_t start_ns, int64_t end_ns) {
    bool overlap = false;
    while (!open_.empty() && (open_.back().end_ns <= start_ns || open_.back().end_ns < end_ns)) {
      if (open_.back().end_ns > start_ns) {
        overlap = true;
        overtaken_.push_back(open_.back().end_ns);
        std::push_heap(overtaken_.begin(), overtaken_.end(), std::greater<>());
      }
      open_.pop_back();
    }
    // Starts only grow: what ended before this one is over for all later ones.
    while (!overtaken_.empty() && overtaken_.front() <= start_ns) {
      std::pop_heap(overtaken_.begin(), overtaken_.end(), std::greater<>());
      overtaken_.pop_back();
    }
    if (!overtaken_.empty() && overtaken_.front() < end_ns) overlap = true;
    const uint32_t parent = open_.empty() ? kNone : open_.back().id;
    if (end_ns > start_ns) open_.push_back({end_ns, id});
    return {parent, overlap};
  }

  void Clear() {
    open_.clear();
    overtaken_.clear();
  }

 private:
  struct Open {
    int64_t end_ns;
    uint32_t id;
  };

  std::vector<Open> open_;          // ends never grow towards the top
  std::vector<int64_t> overtaken_;  // ends, smallest first (heap)
};

}  // namespace telltale
