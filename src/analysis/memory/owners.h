// SPDX-License-Identifier: Apache-2.0
// Which operator and module each [memory] instant belongs to: the innermost operator of its thread
// that runs at that moment, start included, end not. Annotations and runtime calls own nothing, nor
// do the ranges that old traces write as operators: steps, waits for the DataLoader, Optimizer.*.
#pragma once

#include "analysis/core/host_tree.h"
#include "analysis/core/name_facts.h"
#include "analysis/memory/events.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

struct MemoryOwners {
  Column<NodeId> owner;  // by row of Trace::memory; after folding; kNoRow: no operator ran
  // By node, for the operators of threads that have instants: the operator around it, after
  // folding; kNoRow: none. Always an earlier node.
  Column<NodeId> parent;
  // By row of Trace::memory: the span that names the innermost module called then on its thread;
  // kNoRow: none.
  Column<SpanRow> module;
};

[[nodiscard]] MemoryOwners FindMemoryOwners(const Trace& trace, const HostTree& tree,
                                            const NameFacts& facts);

// Whether a span may own memory, decided once per name. Not for several threads at a time.
class PlainOperators {
 public:
  PlainOperators(const Trace& trace, const NameFacts& facts)
      : trace_(trace), facts_(facts), known_(trace.strings.size()) {}
  [[nodiscard]] bool Is(SpanRow row) {
    if (trace_.spans.category[row] != Category::kOperator) return false;
    uint8_t& known = known_[static_cast<uint32_t>(trace_.spans.name[row])];
    if (known == kUnknown) known = Decide(trace_.spans.name[row]);
    return known == kPlain;
  }

 private:
  static constexpr uint8_t kUnknown = 0;
  static constexpr uint8_t kPlain = 1;
  static constexpr uint8_t kRange = 2;
  [[nodiscard]] uint8_t Decide(StringId name) const;

  const Trace& trace_;
  const NameFacts& facts_;
  Column<uint8_t> known_;  // by StringId
};

}  // namespace telltale
