// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/what_if.h"

#include "base/cancel.h"

#include <algorithm>
#include <array>

namespace telltale {

namespace {

// So many cases are computed side by side.
constexpr uint32_t kLanes = 4;
using Lanes = std::array<int64_t, kLanes>;

}  // namespace

WhatIf::WhatIf(const PathWorld& world, const Relief& relief) : world_(world), relief_(relief) {
  size_t nodes = 0;
  for (const PathGraph& graph : world.graphs) nodes += graph.points.size() + graph.work.size();
  position_.resize(nodes);
}

// Sources before what depends on them. A node that is met again while it is being entered is part
// of a cycle of no length; the edge that closes it is left out.
void WhatIf::Reach(const PathEdges& edges, PathNode root) {
  if (root == kNoRow || position_[root] != 0) return;
  PathEdges::List list;
  stack_.push_back({root, false});
  while (!stack_.empty()) {
    const auto [node, entered] = stack_.back();
    if (entered) {
      stack_.pop_back();
      order_.push_back(node);
      position_[node] = static_cast<uint32_t>(order_.size());
      continue;
    }
    if (position_[node] != 0) {
      stack_.pop_back();
      continue;
    }
    stack_.back().entered = true;
    position_[node] = kNoRow;
    const size_t count = edges.Into(node, list);
    for (size_t i = 0; i < count; ++i) {
      if (list[i].from != kNoRow && position_[list[i].from] == 0) {
        stack_.push_back({list[i].from, false});
      }
    }
  }
}

void WhatIf::Order(const PathEdges& edges, const CriticalRegion& region) {
  PathEdges::List list;
  if (const std::optional<PathEdge> last = LastEdge(edges, region)) Reach(edges, last->from);
  for (const RegionHost& host : region.hosts) {
    Reach(edges, edges.RunUntil(host.graph, host.thread, host.end_ns).from);
  }
  // The last on each stream depends on all before it.
  for (const RegionLaunches& launches : region.launches) {
    const PathGraph& graph = world_.graphs[launches.graph];
    for (const PathStream& stream : graph.streams) {
      const WorkId end = graph.FirstLaunchedFrom(stream, launches.window.end_ns);
      if (end == stream.first) continue;
      const size_t count = edges.WorkUntilEnd(launches.graph, end - 1, list);
      for (size_t i = 0; i < count; ++i) Reach(edges, list[i].from);
    }
  }
}

void WhatIf::AddStep(const PathEdges& edges, const PathEdge& edge, bool ends) {
  Step step;
  if (edge.from == kNoRow) {
    step.from = 0;
  } else {
    step.from = position_[edge.from];
    if (step.from == 0 || step.from == kNoRow) return;
  }
  // Times are relative to the first region's start; a thread may be looked at before it.
  step.weight_ns = edge.to_ns - (edge.from == kNoRow ? edges.region_start_ns() : edge.from_ns);
  step.first_saving = static_cast<uint32_t>(savings_.size());
  if (ends) {
    relief_.OfEnd(edges, edge, savings_);
  } else {
    relief_.Of(edges, edge, savings_);
  }
  step.last_saving = static_cast<uint32_t>(savings_.size());
  steps_.push_back(step);
}

void WhatIf::CompileNodes(const PathEdges& edges) {
  PathEdges::List list;
  CancelCheck cancel;
  for (const PathNode node : order_) {
    cancel.Tick();
    first_step_.push_back(static_cast<uint32_t>(steps_.size()));
    const size_t count = edges.Into(node, list);
    for (size_t i = 0; i < count; ++i) AddStep(edges, list[i], false);
  }
  first_step_.push_back(static_cast<uint32_t>(steps_.size()));
}

void WhatIf::CompileEnds(const PathEdges& edges, const CriticalRegion& region) {
  PathEdges::List list;
  first_end_.push_back(static_cast<uint32_t>(steps_.size()));
  if (const std::optional<PathEdge> last = LastEdge(edges, region)) AddStep(edges, *last, true);
  for (const RegionHost& host : region.hosts) {
    AddStep(edges, edges.RunUntil(host.graph, host.thread, host.end_ns), true);
  }
  // What began before the region and is launched in it is in no list: its end counts all the same.
  for (const RegionLaunches& launches : region.launches) {
    const PathGraph& graph = world_.graphs[launches.graph];
    auto at = std::ranges::partition_point(
        graph.by_end, [&](WorkId w) { return graph.work[w].end_ns <= region.bounds.start_ns; });
    for (; at != graph.by_end.end() && graph.work[*at].end_ns <= region.bounds.end_ns; ++at) {
      if (!LaunchedInside(graph, *at, launches.window)) continue;
      const size_t count = edges.WorkUntilEnd(launches.graph, *at, list);
      for (size_t i = 0; i < count; ++i) AddStep(edges, list[i], true);
    }
  }
}

std::vector<std::vector<int64_t>> WhatIf::Durations(std::span<const CriticalRegion> chain) {
  const PathEdges edges = EdgesOfChain(world_, chain.front());
  order_.clear();
  first_step_.clear();
  first_end_.clear();
  steps_.clear();
  savings_.clear();
  for (const CriticalRegion& region : chain) Order(edges, region);
  CompileNodes(edges);
  for (const CriticalRegion& region : chain) CompileEnds(edges, region);
  first_end_.push_back(static_cast<uint32_t>(steps_.size()));

  const uint32_t cases = relief_.cases();
  std::vector<std::vector<int64_t>> durations(chain.size(), std::vector<int64_t>(cases, 0));
  std::vector<Lanes> times(order_.size() + 1);
  for (uint32_t first = 0; first < cases; first += kLanes) {
    times[0] = {};
    const auto latest = [&](uint32_t begin, uint32_t end, Lanes best) {
      for (uint32_t s = begin; s < end; ++s) {
        const Step& step = steps_[s];
        Lanes time = times[step.from];
        for (int64_t& t : time) t += step.weight_ns;
        for (uint32_t i = step.first_saving; i < step.last_saving; ++i) {
          const uint32_t lane = savings_[i].freed - first;
          if (lane < kLanes) time[lane] -= savings_[i].duration_ns;
        }
        for (uint32_t k = 0; k < kLanes; ++k) best[k] = std::max(best[k], time[k]);
      }
      return best;
    };
    // No moment is before the threads are looked at.
    Lanes earliest;
    earliest.fill(edges.EarliestHost() - edges.region_start_ns());
    for (size_t i = 0; i < order_.size(); ++i) {
      times[i + 1] = latest(first_step_[i], first_step_[i + 1], earliest);
    }
    // A region ends no earlier than the one before.
    Lanes before = {};
    for (size_t r = 0; r < chain.size(); ++r) {
      const Lanes ends = latest(first_end_[r], first_end_[r + 1], before);
      for (uint32_t k = 0; k < kLanes && first + k < cases; ++k) {
        durations[r][first + k] = ends[k] - before[k];
      }
      before = ends;
    }
  }
  for (const PathNode node : order_) position_[node] = 0;
  return durations;
}

}  // namespace telltale
