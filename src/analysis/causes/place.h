// SPDX-License-Identifier: Apache-2.0
// Where in the program a piece of time is: what it is inside of, and who called it.
#pragma once

#include <string>

#include "analysis/causes/classify.h"
#include "analysis/critical_path/graph.h"

namespace telltale {

struct CausePlace {
  std::string inside;       // the operator or annotation around it; empty: none
  std::string called_from;  // the function, file and line, where frames were captured
};

// `frames`: of the trace; nullptr: it has none.
[[nodiscard]] CausePlace PlaceOfPiece(const PathGraph& graph, const FrameOwners* frames,
                                      const CausePiece& piece);

}  // namespace telltale
