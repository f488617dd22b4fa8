// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/name_numbers.h"

namespace telltale {

NameNumbers::NameNumbers(const PathWorld& world, size_t kinds)
    : kinds_(kinds), tables_(world.graphs.size() * kinds) {
  for (const PathGraph& graph : world.graphs) {
    names_.push_back(graph.context->trace.strings.size());
  }
}

}  // namespace telltale
