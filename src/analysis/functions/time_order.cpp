// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/time_order.h"

#include <algorithm>
#include <limits>

namespace telltale {

namespace {

int64_t EndOf(const TopOfStack& stretch) {
  const int64_t room = std::numeric_limits<int64_t>::max() - stretch.start;
  return stretch.start + std::min(stretch.length, room);
}

// Boxes as they end, narrow ones gathered.
class Boxes {
 public:
  Boxes(std::vector<TimeOrderBox>& out, double narrowest) : out_(out), narrowest_(narrowest) {}

  void Add(const TimeOrderBox& box) {
    if (box.depth >= pending_.size()) pending_.resize(box.depth + 1);
    Pending& pending = pending_[box.depth];
    if (static_cast<double>(box.length) >= narrowest_) {
      Flush(pending);
      out_.push_back(box);
      return;
    }
    TimeOrderBox& block = pending.box;
    const int64_t end = box.start + box.length;
    // A block is not wider than it must be, and never covers a gap that can be seen.
    if (pending.open &&
        static_cast<double>(box.start - (block.start + block.length)) < narrowest_) {
      block.length = end - block.start;
      ++block.merged;
      if (box.length > pending.longest) {
        pending.longest = box.length;
        block.function = box.function;
      }
      return;
    }
    Flush(pending);
    pending = {box, box.length, true};
  }

  void Finish() {
    for (Pending& pending : pending_) Flush(pending);
  }

 private:
  struct Pending {
    TimeOrderBox box;
    int64_t longest = 0;
    bool open = false;
  };

  void Flush(Pending& pending) {
    if (pending.open) out_.push_back(pending.box);
    pending.open = false;
  }

  std::vector<TimeOrderBox>& out_;
  const double narrowest_;
  std::vector<Pending> pending_;  // by depth
};

}  // namespace

TimeOrder OrderInTime(const FunctionProfile& profile, uint32_t thread,
                      const TimeOrderRequest& request) {
  TimeOrder order;
  std::vector<TopOfStack> stretches;
  std::vector<uint32_t> depth(profile.tree.size());
  for (size_t node = 0; node < depth.size(); ++node) {
    const CallNodeId parent = profile.tree.parent[node];
    depth[node] = parent == kNoCallNode ? 0 : depth[parent] + 1;
  }
  for (const TopOfStack& stretch : profile.timeline) {
    if (stretch.thread != thread || stretch.node == kNoCallNode) continue;
    stretches.push_back(stretch);
    order.whole = std::max(order.whole, EndOf(stretch));
    order.levels = std::max(order.levels, depth[stretch.node] + 1);
  }
  if (!std::ranges::is_sorted(stretches, {}, &TopOfStack::start)) {
    std::ranges::stable_sort(stretches, {}, &TopOfStack::start);
  }
  order.start = std::clamp<int64_t>(request.start, 0, order.whole);
  order.end = std::clamp<int64_t>(request.end.value_or(order.whole), order.start, order.whole);
  const double narrowest =
      static_cast<double>(order.end - order.start) / std::max(request.width, 1U);
  Boxes boxes(order.boxes, narrowest);

  struct Open {
    CallNodeId node;
    int64_t start;
  };
  std::vector<Open> path;
  std::vector<CallNodeId> next;
  int64_t now = order.start;
  const auto close_to = [&](size_t size) {
    for (; path.size() > size; path.pop_back()) {
      const auto at = static_cast<uint32_t>(path.size() - 1);
      if (at >= request.levels || now <= path.back().start) continue;
      boxes.Add({at, path.back().start, now - path.back().start,
                 profile.tree.function[path.back().node], 1});
    }
  };
  for (const TopOfStack& stretch : stretches) {
    const int64_t start = std::max(stretch.start, order.start);
    const int64_t end = std::min(EndOf(stretch), order.end);
    if (end <= start) continue;
    if (start > now) close_to(0);
    next.clear();
    CallNodeId node = stretch.node;
    // Up to the first path that is open already.
    while (node != kNoCallNode && !(depth[node] < path.size() && path[depth[node]].node == node)) {
      next.push_back(node);
      node = profile.tree.parent[node];
    }
    close_to(node == kNoCallNode ? 0 : depth[node] + 1);
    for (size_t i = next.size(); i-- > 0;) path.push_back({next[i], start});
    now = end;
  }
  close_to(0);
  boxes.Finish();
  return order;
}

}  // namespace telltale
