// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/owners.h"

#include <cstdint>

#include "analysis/core/nesting.h"
#include "analysis/modules/spans.h"

namespace telltale {

namespace {

void FindModules(const Trace& trace, const InstantsByTrack& instants, Column<SpanRow>& named_by) {
  const ModuleSpans modules = FindModuleSpans(trace);
  for (const HostThread& thread : modules.threads) {
    ModuleCursor cursor(trace, modules, &thread);
    const auto track = static_cast<size_t>(thread.track);
    for (uint32_t i = instants.first[track]; i < instants.first[track + 1]; ++i) {
      const uint32_t row = instants.rows[i];
      const ModuleCall call = cursor.At(trace.memory.time_ns[row]);
      if (call == kNoRow) continue;
      const SpanRow path = modules.path_span[call];
      named_by[row] = path != kNoRow ? path : modules.span[call];
    }
  }
}

}  // namespace

uint8_t PlainOperators::Decide(StringId name) const {
  const bool range = facts_.Is(name, NameFact::kStep) ||
                     facts_.Is(name, NameFact::kDataLoaderRange) ||
                     trace_.Text(name).starts_with("Optimizer.");
  return range ? kRange : kPlain;
}

MemoryOwners FindMemoryOwners(const Trace& trace, const HostTree& tree, const NameFacts& facts) {
  MemoryOwners owners;
  owners.owner.resize(trace.memory.size());
  for (NodeId& owner : owners.owner) owner = kNoRow;
  owners.module.resize(trace.memory.size());
  for (SpanRow& module : owners.module) module = kNoRow;
  if (trace.memory.size() == 0) return owners;
  owners.parent.resize(tree.size());

  const SpanTable& spans = trace.spans;
  const InstantsByTrack instants = GatherInstants(trace);
  FindModules(trace, instants, owners.module);
  const auto folded = [&tree](uint32_t node) {
    return node == OpenIntervals::kNone ? kNoRow : tree.folded_into[node];
  };
  PlainOperators plain(trace, facts);
  OpenIntervals open;
  for (const HostThread& thread : tree.threads) {
    const auto track = static_cast<size_t>(thread.track);
    uint32_t next = instants.first[track];
    const uint32_t last = instants.first[track + 1];
    if (next == last) continue;
    open.Clear();
    // An instant is an interval without length: its parent is what is open then.
    const auto own_before = [&](int64_t time_ns) {
      for (; next < last && trace.memory.time_ns[instants.rows[next]] < time_ns; ++next) {
        const uint32_t row = instants.rows[next];
        const int64_t now = trace.memory.time_ns[row];
        owners.owner[row] = folded(open.Add(OpenIntervals::kNone, now, now).parent);
      }
    };
    for (NodeId node = thread.first; node < thread.last; ++node) {
      const SpanRow row = tree.span[node];
      if (!plain.Is(row)) continue;
      own_before(spans.start_ns[row]);
      owners.parent[node] = folded(open.Add(node, spans.start_ns[row], spans.end_ns(row)).parent);
    }
    own_before(INT64_MAX);
  }
  return owners;
}

}  // namespace telltale
