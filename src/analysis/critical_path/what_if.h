// SPDX-License-Identifier: Apache-2.0
// How long a region would take if some cause took no time: all moments of the region are computed
// anew, each as the latest of what it waits for, with that cause's pieces set to nothing. Order is
// kept: a call that takes no time still waits for what it waits for.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/critical_path/causes.h"
#include "analysis/critical_path/region.h"
#include "base/column.h"

namespace telltale {

// Which causes are freed: number k > 0 in `numbers` is case k; case 0 frees nothing.
struct FreedCauses {
  CauseNumbers numbers;
  uint32_t cases = 1;
};

// Keeps its memory between regions; one thread.
class WhatIf {
 public:
  WhatIf(const PathWorld& world, const FreedCauses& freed);

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
  struct Saving {
    uint32_t freed;  // the case
    int64_t duration_ns;
  };
  struct Visit {
    PathNode node;
    bool entered;
  };

  void Order(const PathEdges& edges, const CriticalRegion& region, const PathEdge& last);
  void Reach(const PathEdges& edges, PathNode root);
  void Compile(const PathEdges& edges, const CriticalRegion& region, const PathEdge& last);
  void AddStep(const PathEdges& edges, const PathEdge& edge);

  const PathWorld& world_;
  const FreedCauses& freed_;
  std::vector<uint8_t> frees_host_;  // by graph: some host time is freed
  Column<uint32_t> position_;        // by node, + 1; 0: not reached; kNoRow: being entered
  std::vector<PathNode> order_;      // sources first
  std::vector<Visit> stack_;
  std::vector<uint32_t> first_step_;  // by position, and one past the end
  std::vector<Step> steps_;           // those after the last node's are the region's ends
  std::vector<Saving> savings_;
};

}  // namespace telltale
