// SPDX-License-Identifier: Apache-2.0
// All rules. Each is made in a file of its theme in rules/.
#pragma once

#include <span>
#include <vector>

#include "health/rule.h"

namespace telltale::health {

// In the order in which they run: a rule may look at what those before it said.
[[nodiscard]] std::span<const Rule> AllRules();

// rules/causes.cpp: one for each kind of cause.
[[nodiscard]] std::vector<Rule> CauseRules();
// rules/distributed.cpp
[[nodiscard]] Rule DataParallel();
[[nodiscard]] Rule NcclBackend();
// rules/device.cpp
[[nodiscard]] Rule TensorCores();
[[nodiscard]] Rule MemoryLimit();
// rules/operators.cpp
[[nodiscard]] Rule DominatingShape();
// rules/compile.cpp
[[nodiscard]] Rule CompileBreaks();
// rules/idle.cpp
[[nodiscard]] Rule FullQueue();
// rules/ranks.cpp
[[nodiscard]] Rule MissingRanks();
[[nodiscard]] Rule Straggler();
[[nodiscard]] Rule ExposedCommunication();
[[nodiscard]] Rule UnalignedClocks();
// rules/roofline.cpp
[[nodiscard]] Rule MemoryBound();
[[nodiscard]] Rule ComputeBound();
[[nodiscard]] Rule Fp32Matmul();
[[nodiscard]] Rule UnknownRoof();
// rules/memory.cpp
[[nodiscard]] Rule OutOfMemory();
[[nodiscard]] Rule MemoryGrowth();
[[nodiscard]] Rule Fragmentation();
[[nodiscard]] Rule PeakHolder();
// rules/unattributed.cpp
[[nodiscard]] Rule Unattributed();
// rules/modules.cpp
[[nodiscard]] Rule OutsideModules();
[[nodiscard]] Rule Recomputation();
// rules/critical_path.cpp
[[nodiscard]] Rule GuessedDependencies();
// rules/functions.cpp
[[nodiscard]] Rule PairsOnly();

}  // namespace telltale::health
