// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/operators.h"

#include <algorithm>
#include <functional>
#include <string>

#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"

namespace telltale {

OperatorMemory::OperatorMemory(const TraceContext& context, const MemoryOwners& owners)
    : context_(context), owners_(owners) {
  const auto& [trace, options, diagnostics, tree, facts, links, steps, selection] = context;
  calls_.resize(trace.strings.size());
  places_.resize(tree.size());
  PlainOperators plain(trace, facts);
  for (NodeId node = 0; node < tree.size(); ++node) {
    const SpanRow row = tree.span[node];
    if (plain.Is(row) && tree.folded_into[node] == node &&
        selection.HasHostTime(trace.spans.start_ns[row])) {
      ++calls_[static_cast<uint32_t>(trace.spans.name[row])];
    }
  }
}

std::vector<MemoryOperatorRow> OperatorMemory::Describe(const PlaceInstants& instants) {
  const Trace& trace = context_.trace;
  const HostTree& tree = context_.tree;
  // The operators that have instants of this device inside, each once.
  std::vector<NodeId> nodes;
  for (const uint32_t row : instants.rows) {
    for (NodeId node = owners_.owner[row]; node != kNoRow && places_[node].number == 0;
         node = owners_.parent[node]) {
      nodes.push_back(node);
      places_[node].number = 1;
    }
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<Sums> self(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) places_[nodes[i]].number = static_cast<uint32_t>(i) + 1;
  for (const uint32_t row : instants.rows) {
    if (owners_.owner[row] == kNoRow) continue;
    Sums& sums = self[places_[owners_.owner[row]].number - 1];
    const int64_t bytes = trace.memory.bytes[row];
    AddTo(sums.increase, bytes);
    if (bytes <= 0) continue;
    AddTo(sums.allocated, bytes);
    ++sums.allocations;
  }
  // An operator comes after the one around it.
  std::vector<Sums> total = self;
  for (size_t i = nodes.size(); i-- > 0;) {
    const NodeId parent = owners_.parent[nodes[i]];
    if (parent == kNoRow) continue;
    Sums& of_parent = total[places_[parent].number - 1];
    AddTo(of_parent.increase, total[i].increase);
    AddTo(of_parent.allocated, total[i].allocated);
    of_parent.allocations += total[i].allocations;
  }

  KeyNumbers numbers;
  std::vector<MemoryOperatorRow> rows;
  for (size_t i = 0; i < nodes.size(); ++i) {
    places_[nodes[i]].number = 0;
    const SpanRow span = tree.span[nodes[i]];
    if (!context_.selection.HasHostTime(trace.spans.start_ns[span])) continue;
    const StringId name = trace.spans.name[span];
    const uint32_t number = numbers.Number(static_cast<uint32_t>(name));
    if (number == rows.size()) {
      rows.emplace_back();
      rows.back().name = std::string(trace.Text(name));
      rows.back().calls = calls_[static_cast<uint32_t>(name)];
      rows.back().first_event = span;
    }
    MemoryOperatorRow& row = rows[number];
    row.first_event = std::min<uint64_t>(row.first_event, span);
    AddTo(row.size_increase_bytes, total[i].increase);
    AddTo(row.self_size_increase_bytes, self[i].increase);
    AddTo(row.allocation_bytes, total[i].allocated);
    AddTo(row.self_allocation_bytes, self[i].allocated);
    row.allocation_count += total[i].allocations;
    row.self_allocation_count += self[i].allocations;
  }
  std::erase_if(rows, [](const MemoryOperatorRow& row) {
    return row.size_increase_bytes == 0 && row.self_size_increase_bytes == 0 &&
           row.allocation_count == 0;
  });
  std::sort(rows.begin(), rows.end(), [](const MemoryOperatorRow& a, const MemoryOperatorRow& b) {
    if (a.self_size_increase_bytes != b.self_size_increase_bytes)
      return a.self_size_increase_bytes > b.self_size_increase_bytes;
    return a.name != b.name ? a.name < b.name : a.first_event < b.first_event;
  });
  return rows;
}

}  // namespace telltale
