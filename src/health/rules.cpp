// SPDX-License-Identifier: Apache-2.0
#include "health/rules.h"

#include <utility>

namespace telltale::health {

std::span<const Rule> AllRules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all = CauseRules();
    std::vector<Rule> hints = {
        DataParallel(),        NcclBackend(),   TensorCores(),   MemoryLimit(),
        DominatingShape(),     CompileBreaks(), Straggler(),     ExposedCommunication(),
        OutOfMemory(),         MemoryGrowth(),  FullQueue(),     MemoryBound(),
        ComputeBound(),        Fp32Matmul(),    Fragmentation(), PeakHolder(),
        OutsideModules(),      Recomputation(), MissingRanks(),  UnalignedClocks(),
        GuessedDependencies(), PairsOnly(),     Unattributed(),  UnknownRoof(),
    };
    for (Rule& hint : hints) all.push_back(std::move(hint));
    return all;
  }();
  return rules;
}

}  // namespace telltale::health
