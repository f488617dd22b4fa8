// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/causes.h"

namespace telltale {

CauseNumbers::CauseNumbers(const PathWorld& world)
    : tables_(world.graphs.size() * kPathCauseCount) {
  for (const PathGraph& graph : world.graphs) {
    names_.push_back(graph.context->trace.strings.size());
  }
}

}  // namespace telltale
