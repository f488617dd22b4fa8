// SPDX-License-Identifier: Apache-2.0
// The stretches of time that have a critical path of their own, and how to find it: backwards from
// what ended last, always to what was waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/intervals.h"
#include "analysis/critical_path/edges.h"

namespace telltale {

// Where a thread is at the end of a region.
struct RegionHost {
  uint32_t graph = 0;
  uint32_t thread = 0;
  int64_t end_ns = 0;
};

// Device work belongs to a region if its launch starts in such a window.
struct RegionLaunches {
  uint32_t graph = 0;
  Interval window;
  // Where its host has left the region before; the window's start, unless they overlap. None: the
  // whole trace begins with its first event.
  std::optional<int64_t> host_start_ns;
};

struct CriticalRegion {
  std::string name;
  Interval bounds;  // on the clock of the graphs
  std::vector<RegionHost> hosts;
  std::vector<RegionLaunches> launches;
};

// The complete, selected steps of a graph, or the whole trace. `number`: of the graph in its world.
[[nodiscard]] std::vector<CriticalRegion> StepRegions(const PathGraph& graph, uint32_t number);
// The steps that all ranks have, by name: from the first rank's start (or the end of the step
// before) to the last one's end.
[[nodiscard]] std::vector<CriticalRegion> CommonStepRegions(const PathWorld& world);
// Instance `instance` (from 0, by start) of an annotation, with the work launched in it. Adds to
// `instances` how many there are.
[[nodiscard]] std::vector<CriticalRegion> AnnotationRegions(const PathGraph& graph,
                                                            const std::string& annotation,
                                                            uint64_t instance, uint64_t& instances);

// Regions [first, last) that belong together: each begins where the one before ended, and its host
// had begun by then. What delays one of them is felt in the next.
struct RegionChain {
  size_t first = 0;
  size_t last = 0;
};
[[nodiscard]] std::vector<RegionChain> ChainRegions(std::span<const CriticalRegion> regions);
// A chain as one region, from the start of the first to the end of the last.
[[nodiscard]] CriticalRegion JoinChain(std::span<const CriticalRegion> chain);
// The edges of a chain. Threads are looked at from where the first region's host begins.
[[nodiscard]] PathEdges EdgesOfChain(const PathWorld& world, const CriticalRegion& first);

[[nodiscard]] bool LaunchedInside(const PathGraph& graph, WorkId work, const Interval& window);

// The edge that ends a region; none for a region of no length.
[[nodiscard]] std::optional<PathEdge> LastEdge(const PathEdges& edges,
                                               const CriticalRegion& region);
// The edges of the path from the region's start to its end. Their pieces are the region without a
// gap. Empty for a region of no length.
[[nodiscard]] std::vector<PathEdge> WalkCriticalPath(const PathEdges& edges,
                                                     const CriticalRegion& region);

}  // namespace telltale
