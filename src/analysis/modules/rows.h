// SPDX-License-Identifier: Apache-2.0
// Which row of the tree of modules each call counts for. A row is a module at a place: the same
// instance below the same row. A call without a module around it, of an instance that is otherwise
// called inside another (checkpointing runs a layer again from the backward pass), counts at that
// place.
#pragma once

#include <vector>

#include "analysis/modules/modules.h"
#include "analysis/modules/spans.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

struct ModuleRows {
  std::vector<ModuleRow> rows;  // parents before children; names and places only, no times
  Column<uint32_t> row_of;      // by call
};

[[nodiscard]] ModuleRows PlaceModules(const Trace& trace, const ModuleSpans& modules);

// Puts rows into the order of ModuleReport, sets totals from self times. The last row is the work
// outside of modules.
void ArrangeModules(ModuleReport& report);

}  // namespace telltale
