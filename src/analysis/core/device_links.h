// SPDX-License-Identifier: Apache-2.0
// Which host call launched each device event, and which operator that call belongs to. The link is
// the correlation id of runtime and driver calls, never External id; several device events may
// share one launch (CUDA graphs).
#pragma once

#include "analysis/core/host_tree.h"
#include "base/column.h"
#include "base/diagnostics.h"
#include "model/trace.h"

namespace telltale {

struct DeviceLinks {
  Column<SpanRow> device;  // every device event, in file order
  Column<NodeId> launch;   // the launching call, kNoRow if it is not in the trace
  Column<NodeId> owner;  // its innermost enclosing operator or annotation after folding, or kNoRow

  [[nodiscard]] size_t size() const { return device.size(); }
  [[nodiscard]] size_t memory_bytes() const {
    return device.memory_bytes() + launch.memory_bytes() + owner.memory_bytes();
  }
};

// Adds kLaunchMissing to `diagnostics`.
[[nodiscard]] DeviceLinks LinkDeviceEvents(const Trace& trace, const HostTree& tree,
                                           Diagnostics& diagnostics);

}  // namespace telltale
