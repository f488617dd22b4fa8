// SPDX-License-Identifier: Apache-2.0
// How long a region would take if something took less time: all moments of the region are computed
// anew, each as the latest of what it waits for. Any number of cases side by side, in one walk over
// the region's graph. What a case does not free keeps its length and its order.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/critical_path/region.h"
#include "base/column.h"

namespace telltale {

// What an edge takes less in one of the cases.
struct Saving {
  uint32_t freed;  // the case
  int64_t duration_ns;
};
// As such a duration: what the edge leads to no longer waits for it.
constexpr int64_t kNotWaitedFor = INT64_MAX / 4;

// What is freed in which case; case 0 frees nothing. Several threads ask at once.
class Relief {
 public:
  virtual ~Relief() = default;
  [[nodiscard]] virtual uint32_t cases() const = 0;
  // Adds what the edge saves.
  virtual void Of(const PathEdges& edges, const PathEdge& edge,
                  std::vector<Saving>& savings) const = 0;
  // The same for an edge that ends a region, where that is another matter.
  virtual void OfEnd(const PathEdges& edges, const PathEdge& edge,
                     std::vector<Saving>& savings) const {
    Of(edges, edge, savings);
  }
};

// Keeps its memory between regions; one thread.
class WhatIf {
 public:
  WhatIf(const PathWorld& world, const Relief& relief);

  // The duration of the region in each case, `last` being the last edge of its path. Case 0 is the
  // region's duration.
  [[nodiscard]] std::vector<int64_t> Durations(const CriticalRegion& region, const PathEdge& last);

 private:
  struct Step {
    uint32_t from;  // position in order_, + 1; 0: the region's start
    uint32_t first_saving;
    uint32_t last_saving;
    int64_t weight_ns;
  };
  struct Visit {
    PathNode node;
    bool entered;
  };

  void Order(const PathEdges& edges, const CriticalRegion& region, const PathEdge& last);
  void Reach(const PathEdges& edges, PathNode root);
  void Compile(const PathEdges& edges, const CriticalRegion& region, const PathEdge& last);
  void AddStep(const PathEdges& edges, const PathEdge& edge, bool ends);

  const PathWorld& world_;
  const Relief& relief_;
  Column<uint32_t> position_;    // by node, + 1; 0: not reached; kNoRow: being entered
  std::vector<PathNode> order_;  // sources first
  std::vector<Visit> stack_;
  std::vector<uint32_t> first_step_;  // by position, and one past the end
  std::vector<Step> steps_;           // those after the last node's are the region's ends
  std::vector<Saving> savings_;
};

}  // namespace telltale
