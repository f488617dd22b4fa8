// SPDX-License-Identifier: Apache-2.0
// Memory that a step leaves behind, in every step: blocks allocated in a step that nothing releases
// until the end of the recording, by who asked for them.
//
// Checked are the selected complete steps without the trace's first (what is made on first use
// stays for good reason) and its last (what it leaves may be released by the step that follows).
// A place in the program is reported if it leaves something behind in each of them; below
// kLeastLeakSteps nothing can be told. What is released some steps later is no leak by this rule,
// because the earlier of the checked steps are seen to be clean.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/core/steps.h"
#include "analysis/memory/report.h"

namespace telltale {

constexpr size_t kLeastLeakSteps = 3;

// Indices of the checked steps; empty if they are too few.
[[nodiscard]] std::vector<uint32_t> LeakSteps(const Steps& steps);

// A block that nothing releases.
struct Survivor {
  const AllocationRow* row = nullptr;
  uint32_t step = 0;  // index of the step in which it was allocated
};

// `checked`: as of LeakSteps. The rows' steps are named in `texts`.
[[nodiscard]] std::vector<LeakRow> FindLeaks(const std::vector<Survivor>& survivors,
                                             const std::vector<uint32_t>& checked,
                                             const std::vector<std::string>& texts);

}  // namespace telltale
