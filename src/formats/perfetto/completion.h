// SPDX-License-Identifier: Apache-2.0
// What can be said only when all packets have been read: how long slices took, and where arrows go.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "formats/perfetto/slices.h"
#include "model/trace.h"

namespace telltale::perfetto {

// A flow's row in the trace and the slice it stands at.
struct FlowRow {
  uint64_t flow_id = 0;
  uint32_t row = 0;   // in flows
  uint32_t span = 0;  // kNoRow: an instant
  bool ends = false;
};

using FlowPlaces = std::multiset<std::pair<uint64_t, int64_t>>;  // flow id, time

// Gives slices their durations. What never ended becomes Category::kUnmatched.
void ApplySlices(PairedSlices& paired, Trace& trace);

// Perfetto's arrows go from slice to slice in order of time, until one says that it is the last.
// Those from the host to a device are launches, as in torch's traces.
void ConnectFlows(std::vector<FlowRow>& rows, Trace& trace);

// Drops the flows of which a record of our own writer said more.
void DropReplacedFlows(const std::vector<FlowRow>& rows, FlowPlaces& replaced, Trace& trace);

}  // namespace telltale::perfetto
