// SPDX-License-Identifier: Apache-2.0
#include "health/rules.h"

#include <vector>

namespace telltale::health {

std::span<const Rule> AllRules() {
  static const std::vector<Rule> rules = {
      DataloaderWait(),       HostCode(),      DataParallel(),     NcclBackend(),
      Communication(),        LaunchBound(),   Synchronization(),
      LowUtilization(),  // after those that may explain the idle time
      TensorCores(),          MemoryLimit(),   HostDeviceCopies(), PageableCopies(),
      DominatingShape(),      CompileBreaks(), FirstOnPath(),      Straggler(),
      ExposedCommunication(), OutOfMemory(),   MemoryGrowth(),     IdleInput(),
      IdleSynchronization(),  HostLimited(),   FullQueue(),        MemoryBound(),
      ComputeBound(),         Fp32Matmul(),    Fragmentation(),    PeakHolder(),
      OutsideModules(),       Recomputation(), MissingRanks(),     UnalignedClocks(),
      GuessedDependencies(),  PairsOnly(),
  };
  return rules;
}

}  // namespace telltale::health
