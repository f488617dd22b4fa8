// SPDX-License-Identifier: Apache-2.0
// The nesting of host events (operators, annotations, runtime calls) per thread. A node's parent is
// the innermost event on its thread that contains it whole (nesting.h has the rules); an event that
// only partly overlaps an open one is kept under the innermost one that does contain it, and
// counted. An only child of the same name and kind is folded into its parent, repeatedly: it stays
// in the table but its children and launches count as the parent's. Not for Python frames or device
// events.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/core/thread_rows.h"
#include "base/column.h"
#include "base/diagnostics.h"
#include "model/trace.h"

namespace telltale {

using NodeId = uint32_t;  // position in HostTree; kNoRow: none

struct HostTree {
  // Ordered by track, then start, then longer first, then file order.
  Column<SpanRow> span;
  Column<NodeId> parent;       // the real one, before folding
  Column<NodeId> folded_into;  // the node this one counts as: itself unless folded
  std::vector<HostThread> threads;

  [[nodiscard]] size_t size() const { return span.size(); }
  [[nodiscard]] size_t memory_bytes() const {
    return span.memory_bytes() + parent.memory_bytes() + folded_into.memory_bytes() +
           threads.capacity() * sizeof(HostThread);
  }
  // The parent after folding.
  [[nodiscard]] NodeId EffectiveParent(NodeId node) const {
    const NodeId p = parent[folded_into[node]];
    return p == kNoRow ? kNoRow : folded_into[p];
  }
};

// Adds kPartialOverlap to `diagnostics`. `threads`: how many threads may work.
[[nodiscard]] HostTree BuildHostTree(const Trace& trace, unsigned threads,
                                     Diagnostics& diagnostics);

// For each node the nearest operator or annotation above it, after folding; runtime calls in
// between are skipped. kNoRow where there is none.
[[nodiscard]] Column<NodeId> EnclosingOperators(const Trace& trace, const HostTree& tree);

}  // namespace telltale
