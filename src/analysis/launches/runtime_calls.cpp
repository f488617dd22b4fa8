// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches/runtime_calls.h"

#include <algorithm>

#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

std::vector<RuntimeCallRow> DescribeRuntimeCalls(const TraceContext& context) {
  const Trace& trace = context.trace;
  const SpanTable& spans = trace.spans;
  std::vector<RuntimeCallRow> rows;
  KeyNumbers numbers;
  CancelCheck cancel;
  for (SpanRow span = 0; span < spans.size(); ++span) {
    cancel.Tick();
    if (spans.category[span] != Category::kRuntime) continue;
    if (!context.selection.HasHostTime(spans.start_ns[span])) continue;
    const uint32_t number = numbers.Number(static_cast<uint32_t>(spans.name[span]));
    if (number == rows.size()) rows.emplace_back().name = trace.NameOfSpan(span);
    RuntimeCallRow& row = rows[number];
    ++row.calls;
    AddTo(row.host_total_ns, spans.duration_ns[span]);
    row.host_max_ns = std::max(row.host_max_ns, spans.duration_ns[span]);
  }
  for (RuntimeCallRow& row : rows) {
    row.host_mean_ns = row.host_total_ns / static_cast<int64_t>(row.calls);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &RuntimeCallRow::host_total_ns);
  return rows;
}

}  // namespace telltale
