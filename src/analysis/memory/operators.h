// SPDX-License-Identifier: Apache-2.0
// What each operator allocated and freed on one device: by itself, and with the operators inside
// it.
#pragma once

#include <span>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/memory/events.h"
#include "analysis/memory/owners.h"
#include "analysis/memory/report.h"

namespace telltale {

// Sums per operator event; made once, asked once per device.
class OperatorMemory {
 public:
  OperatorMemory(const TraceContext& context, const MemoryOwners& owners);

  // One row per name with anything else than zeros, by its own increase, descending.
  [[nodiscard]] std::vector<MemoryOperatorRow> Describe(const PlaceInstants& instants);

 private:
  struct Sums {
    int64_t increase = 0;
    int64_t allocated = 0;
    uint64_t allocations = 0;
  };
  struct Place {  // of a node among those that matter for a device; 0: not one of them
    uint32_t number = 0;
  };

  const TraceContext& context_;
  const MemoryOwners& owners_;
  Column<uint64_t> calls_;  // by name: events after folding in the selected time
  Column<Place> places_;    // by node; all 0 between calls
};

}  // namespace telltale
