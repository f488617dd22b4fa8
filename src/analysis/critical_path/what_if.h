// SPDX-License-Identifier: Apache-2.0
// How long regions would take if something took less time: all their moments are computed anew,
// each as the latest of what it waits for. Any number of cases side by side, in one walk over the
// graph. What a case does not free keeps its length and its order. Regions of a chain are computed
// together, because what one of them saves, a device that is behind passes on to the next.
#pragma once

#include <cstdint>
#include <span>
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

  // The duration of each region of a chain in each case. Case 0 is the region's own duration.
  [[nodiscard]] std::vector<std::vector<int64_t>> Durations(std::span<const CriticalRegion> chain);

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

  void Order(const PathEdges& edges, const CriticalRegion& region);
  void Reach(const PathEdges& edges, PathNode root);
  void CompileNodes(const PathEdges& edges);
  void CompileEnds(const PathEdges& edges, const CriticalRegion& region);
  void AddStep(const PathEdges& edges, const PathEdge& edge, bool ends);

  const PathWorld& world_;
  const Relief& relief_;
  Column<uint32_t> position_;    // by node, + 1; 0: not reached; kNoRow: being entered
  std::vector<PathNode> order_;  // sources first
  std::vector<Visit> stack_;
  std::vector<uint32_t> first_step_;  // by position, and one past the end
  std::vector<Step> steps_;           // those after the last node's are the regions' ends
  std::vector<uint32_t> first_end_;   // in steps_, by region, and one past the end
  std::vector<Saving> savings_;
};

}  // namespace telltale
