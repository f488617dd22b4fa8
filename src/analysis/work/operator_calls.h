// SPDX-License-Identifier: Apache-2.0
// Every single call of an operator or annotation with the figures that the operator table sums:
// host and device time, memory, nesting. Summed by name they are that table. Also the step and the
// owner of every span.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/work/operator_memory.h"
#include "base/column.h"

namespace telltale {

// Calls after folding, in file order. Runtime calls are no rows but take from host_self_ns.
struct OperatorCalls {
  Column<NodeId> node;
  // By row of this table.
  Column<uint32_t> parent;  // row of the innermost operator or annotation around it, or kNoRow
  Column<uint32_t> depth;   // operators and annotations around it
  Column<int64_t> host_self_ns;
  Column<int64_t> device_self_ns;
  Column<int64_t> device_total_ns;

  [[nodiscard]] size_t size() const { return node.size(); }
};
[[nodiscard]] OperatorCalls DescribeOperatorCalls(const TraceContext& context);

// Bytes by row of `calls`.
[[nodiscard]] std::vector<GroupMemory> MemoryOfCalls(const TraceContext& context,
                                                     const OperatorCalls& calls);

// By span. The owner is the innermost operator or annotation around a host event, and around the
// launch of a device event; kNoRow where there is none. The step is an index into
// TraceContext::steps: of host events and Python frames the one that they start in, of device
// events the one that their launch starts in; where steps overlap the one that began last. Spans of
// other kinds have neither.
struct SpanPlaces {
  Column<SpanRow> owner;
  Column<uint32_t> step;
};
[[nodiscard]] SpanPlaces PlaceSpans(const TraceContext& context);

// The name of a step as reports show it. Lives as long as the trace.
[[nodiscard]] std::string_view NameOfStep(const TraceContext& context, size_t step);

}  // namespace telltale
