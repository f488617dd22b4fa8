// SPDX-License-Identifier: Apache-2.0
// Where paths are looked for: the graphs of the files, one for all ranks where their clocks can be
// joined, and the regions in them.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/critical_path/region.h"
#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

struct RegionWorld {
  PathWorld world;
  std::vector<CriticalRegion> regions;

  // How many threads look at its regions.
  [[nodiscard]] unsigned workers() const;
};

struct RegionWorlds {
  std::vector<RegionWorld> all;
  PathRegionKind kind = PathRegionKind::kStep;
  bool joined = false;                // one world for all files
  uint64_t annotation_instances = 0;  // of the annotation asked for, over all files
};

// `annotation`: its instance `instance` is the region; empty: the complete steps are, or the whole
// trace.
[[nodiscard]] RegionWorlds FindRegionWorlds(std::span<const TraceContext> files,
                                            const std::string& annotation, uint64_t instance);

// Calls `work(worker, region)` for every region, on `workers` threads.
template <typename Work>
void ForEachRegion(unsigned workers, size_t regions, Work work) {
  std::atomic<size_t> next{0};
  RunOnThreads(workers, [&](unsigned worker) {
    for (size_t i = next++; i < regions; i = next++) {
      StopIfCanceled();
      work(worker, i);
    }
  });
}

}  // namespace telltale
