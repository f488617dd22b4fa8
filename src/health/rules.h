// SPDX-License-Identifier: Apache-2.0
// All rules. Each is made in a file of its theme in rules/.
#pragma once

#include <span>

#include "health/rule.h"

namespace telltale::health {

// In the order in which they run: a rule may look at what those before it said.
[[nodiscard]] std::span<const Rule> AllRules();

// rules/input.cpp
[[nodiscard]] Rule DataloaderWait();
[[nodiscard]] Rule HostDeviceCopies();
[[nodiscard]] Rule PageableCopies();
// rules/distributed.cpp
[[nodiscard]] Rule DataParallel();
[[nodiscard]] Rule NcclBackend();
[[nodiscard]] Rule Communication();
// rules/device.cpp
[[nodiscard]] Rule LowUtilization();
[[nodiscard]] Rule TensorCores();
[[nodiscard]] Rule MemoryLimit();
// rules/launch.cpp
[[nodiscard]] Rule LaunchBound();
[[nodiscard]] Rule Synchronization();
// rules/host_code.cpp
[[nodiscard]] Rule HostCode();
// rules/operators.cpp
[[nodiscard]] Rule DominatingShape();
// rules/compile.cpp
[[nodiscard]] Rule CompileBreaks();
// rules/idle.cpp
[[nodiscard]] Rule IdleInput();
[[nodiscard]] Rule IdleSynchronization();
[[nodiscard]] Rule HostLimited();
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
// rules/memory.cpp
[[nodiscard]] Rule OutOfMemory();
[[nodiscard]] Rule MemoryGrowth();
[[nodiscard]] Rule Fragmentation();
[[nodiscard]] Rule PeakHolder();
// rules/modules.cpp
[[nodiscard]] Rule OutsideModules();
[[nodiscard]] Rule Recomputation();
// rules/critical_path.cpp
[[nodiscard]] Rule FirstOnPath();
[[nodiscard]] Rule GuessedDependencies();
// rules/functions.cpp
[[nodiscard]] Rule PairsOnly();

}  // namespace telltale::health
