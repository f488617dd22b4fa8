// SPDX-License-Identifier: Apache-2.0
// Work is not waste, but it has a roof: what a step would be shorter by if the kernels of an
// operator took no longer than the device's peaks allow (roofline/). A replay of the graph, as for
// causes; operators that stay below their roof are none, because nobody can do without them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/critical_path/worlds.h"
#include "analysis/roofline/roofline.h"

namespace telltale {

struct WorkSaving {
  std::string name;  // of the operator
  RooflineBound bound = RooflineBound::kMemory;
  int64_t saving_ns = 0;   // of an average region
  double share = 0;        // of it
  double roof_share = 0;   // how near the operator comes to its roof
  uint64_t calls = 0;      // in all regions
  int64_t average_ns = 0;  // the average region
};

// The operators that lose most, the largest saving first.
[[nodiscard]] std::vector<WorkSaving> SavingsToTheRoof(const RegionWorlds& worlds,
                                                       std::span<const RooflineRow> rows);

}  // namespace telltale
