// SPDX-License-Identifier: Apache-2.0
// Slow steps as a cause: where no other one explains why they are slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/causes/candidates.h"
#include "analysis/causes/slow_steps.h"

namespace telltale {

// The world's regions among those of all worlds.
struct WorldRegions {
  const CausePaths* paths = nullptr;
  size_t first = 0;
  SlowSteps slow;
};

[[nodiscard]] std::vector<WorldRegions> SlowStepsOf(std::span<const CausePaths> all,
                                                    std::span<const int64_t> measured);

// Steps that take longer than the typical one are a cause only where no cause explains it.
void AddSlowSteps(std::span<const WorldRegions> worlds, std::span<const int64_t> measured,
                  std::vector<Candidate>& candidates);

}  // namespace telltale
