// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/operator_memory.h"

#include <algorithm>
#include <utility>

#include "analysis/core/sums.h"
#include "analysis/memory/events.h"

namespace telltale {

namespace {

// The instants by track and time, with the sum of all bytes before each.
struct Instants {
  std::vector<uint32_t> first;  // by track, and one more: where its instants begin
  std::vector<int64_t> time_ns;
  std::vector<int64_t> bytes_before;  // one more than instants
};

Instants SortInstants(const Trace& trace) {
  InstantsByTrack gathered = GatherInstants(trace);
  Instants instants;
  instants.first = std::move(gathered.first);
  instants.time_ns.reserve(gathered.rows.size());
  instants.bytes_before.reserve(gathered.rows.size() + 1);
  int64_t sum = 0;
  instants.bytes_before.push_back(0);
  for (const uint32_t i : gathered.rows) {
    instants.time_ns.push_back(trace.memory.time_ns[i]);
    AddTo(sum, trace.memory.bytes[i]);
    instants.bytes_before.push_back(sum);
  }
  return instants;
}

}  // namespace

std::vector<GroupMemory> SumMemory(const Trace& trace, const HostTree& tree,
                                   std::span<const uint32_t> group_of, size_t groups) {
  std::vector<GroupMemory> sums(groups);
  const Instants instants = SortInstants(trace);
  const Column<NodeId> enclosing = EnclosingOperators(trace, tree);
  // Up to which instant a node's children seen so far reach: children come in order of their
  // starts, so what a new one covers beyond that is not yet taken from the parent.
  Column<uint32_t> covered(tree.size());
  const auto times = instants.time_ns.begin();
  for (const HostThread& thread : tree.threads) {
    const auto track = static_cast<size_t>(thread.track);
    uint32_t first = instants.first[track];
    const uint32_t end = instants.first[track + 1];
    for (NodeId node = thread.first; node < thread.last && first < end; ++node) {
      const SpanRow row = tree.span[node];
      if (trace.spans.category[row] == Category::kRuntime || tree.folded_into[node] != node)
        continue;
      while (first < end && instants.time_ns[first] < trace.spans.start_ns[row]) ++first;
      const auto last = static_cast<uint32_t>(
          std::upper_bound(times + first, times + end, trace.spans.end_ns(row)) - times);
      if (last == first) continue;
      const int64_t bytes = Difference(instants.bytes_before[last], instants.bytes_before[first]);
      if (group_of[node] != kNoRow) {
        AddTo(sums[group_of[node]].total_bytes, bytes);
        AddTo(sums[group_of[node]].self_bytes, bytes);
      }
      const NodeId parent = enclosing[node];
      if (parent == kNoRow) continue;
      const uint32_t fresh = std::max(first, covered[parent]);
      if (last <= fresh) continue;
      covered[parent] = last;
      if (group_of[parent] == kNoRow) continue;
      SubtractFrom(sums[group_of[parent]].self_bytes,
                   Difference(instants.bytes_before[last], instants.bytes_before[fresh]));
    }
  }
  return sums;
}

}  // namespace telltale
