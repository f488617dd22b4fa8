// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/lanes.h"

#include <algorithm>
#include <queue>

namespace telltale::perfetto {

namespace {

struct Open {
  int64_t end_ns;
  uint32_t row;
};

// The open spans of one lane, outermost first.
using Stack = std::vector<Open>;

class TrackLanes {
 public:
  TrackLanes(const Trace& trace, Lanes& lanes) : trace_(trace), lanes_(lanes) {}

  void Place(uint32_t row) {
    const int64_t start = trace_.spans.start_ns[row];
    const int64_t end = trace_.spans.end_ns(row);
    // Nearly all nest in lane 0; a few lanes are tried in turn, and then any that is free.
    constexpr size_t kTried = 8;
    for (size_t i = 0; i < std::min(stacks_.size(), kTried); ++i) {
      if (Fits(stacks_[i], start, end)) return Put(i, row, end);
    }
    if (stacks_.size() > kTried && !free_at_.empty() && free_at_.top().first <= start) {
      const size_t lane = free_at_.top().second;
      free_at_.pop();
      stacks_[lane].clear();
      return Put(lane, row, end);
    }
    stacks_.emplace_back();
    Put(stacks_.size() - 1, row, end);
  }
  [[nodiscard]] size_t size() const { return stacks_.size(); }

 private:
  static bool Fits(Stack& stack, int64_t start, int64_t end) {
    while (!stack.empty() && stack.back().end_ns <= start) stack.pop_back();
    return stack.empty() || end <= stack.back().end_ns;
  }
  void Put(size_t lane, uint32_t row, int64_t end) {
    Stack& stack = stacks_[lane];
    if (!stack.empty()) {
      const uint32_t parent = stack.back().row;
      if (trace_.spans.start_ns[parent] == trace_.spans.start_ns[row] && parent > row) {
        lanes_.waits_for[row] = parent;
      }
    }
    stack.push_back({end, row});
    lanes_.lane[row] = static_cast<uint32_t>(lane);
    constexpr size_t kTried = 8;
    if (lane >= kTried) free_at_.push({stack.front().end_ns, lane});
  }

  const Trace& trace_;
  Lanes& lanes_;
  std::vector<Stack> stacks_;
  std::priority_queue<std::pair<int64_t, size_t>, std::vector<std::pair<int64_t, size_t>>,
                      std::greater<>>
      free_at_;
};

}  // namespace

Lanes AssignLanes(const Trace& trace, const std::vector<bool>& keep) {
  const SpanTable& spans = trace.spans;
  Lanes lanes;
  lanes.lane.resize(spans.size());
  lanes.lanes_of_track.assign(trace.tracks.size(), 0);
  for (uint32_t row = 0; row < spans.size(); ++row) {
    if (keep.empty() || keep[row]) lanes.order.push_back(row);
  }
  std::sort(lanes.order.begin(), lanes.order.end(), [&](uint32_t a, uint32_t b) {
    if (spans.track[a] != spans.track[b]) return spans.track[a] < spans.track[b];
    if (spans.start_ns[a] != spans.start_ns[b]) return spans.start_ns[a] < spans.start_ns[b];
    if (spans.duration_ns[a] != spans.duration_ns[b]) {
      return spans.duration_ns[a] > spans.duration_ns[b];
    }
    return a < b;
  });
  for (size_t i = 0; i < lanes.order.size();) {
    const TrackId track = spans.track[lanes.order[i]];
    TrackLanes of_track(trace, lanes);
    const size_t begin = i;
    for (; i < lanes.order.size() && spans.track[lanes.order[i]] == track; ++i) {
      const uint32_t row = lanes.order[i];
      if (spans.category[row] != Category::kUnmatched) of_track.Place(row);
    }
    auto count = static_cast<uint32_t>(of_track.size());
    bool any_unmatched = false;
    for (size_t j = begin; j < i; ++j) {
      const uint32_t row = lanes.order[j];
      if (spans.category[row] != Category::kUnmatched) continue;
      lanes.lane[row] = std::max(count, 1U);
      any_unmatched = true;
    }
    if (any_unmatched) count = std::max(count, 1U) + 1;
    lanes.lanes_of_track[static_cast<size_t>(track)] = count;
  }
  return lanes;
}

}  // namespace telltale::perfetto
