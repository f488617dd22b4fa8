// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/completion.h"

#include <algorithm>

namespace telltale::perfetto {

void ApplySlices(PairedSlices& paired, Trace& trace) {
  for (const SliceEnd& end : paired.ends) {
    constexpr int64_t kMaxDurationNs = int64_t{1} << 53;  // as the JSON reader's
    const int64_t duration = end.end_ns - trace.spans.start_ns[end.row];
    if (duration > kMaxDurationNs) {
      trace.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, trace.spans.offset[end.row]);
    } else {
      trace.spans.duration_ns[end.row] = duration;
    }
  }
  std::sort(paired.never_ended.begin(), paired.never_ended.end());
  for (const uint32_t row : paired.never_ended) {
    trace.spans.category[row] = Category::kUnmatched;
    trace.spans.detail[row] = kNoDetail;
    trace.diagnostics.Add(DiagnosticKind::kUnmatchedBegin, trace.spans.offset[row]);
  }
  if (paired.never_begun > 0) {
    trace.diagnostics.Add(DiagnosticKind::kUnmatchedEnd, std::nullopt, paired.never_begun);
  }
}

void ConnectFlows(std::vector<FlowRow>& rows, Trace& trace) {
  FlowTable& flows = trace.flows;
  std::sort(rows.begin(), rows.end(), [&](const FlowRow& a, const FlowRow& b) {
    if (a.flow_id != b.flow_id) return a.flow_id < b.flow_id;
    if (flows.time_ns[a.row] != flows.time_ns[b.row]) {
      return flows.time_ns[a.row] < flows.time_ns[b.row];
    }
    return a.row < b.row;
  });
  CategoryId launch{0};
  bool has_launch = false;
  const auto launch_category = [&] {
    if (has_launch) return launch;
    has_launch = true;
    for (size_t i = 0; i < trace.categories.size(); ++i) {
      if (trace.Text(trace.categories[i].text) == "ac2g") {
        return launch = CategoryId{static_cast<uint16_t>(i)};
      }
    }
    trace.categories.push_back({trace.strings.Intern("ac2g"), Category::kOther});
    return launch = CategoryId{static_cast<uint16_t>(trace.categories.size() - 1)};
  };
  for (size_t i = 0; i < rows.size();) {
    size_t end = i + 1;
    while (end < rows.size() && rows[end].flow_id == rows[i].flow_id && !rows[end - 1].ends) {
      ++end;
    }
    bool from_host = false;
    bool to_device = false;
    for (size_t j = i; j < end; ++j) {
      const FlowRow& flow = rows[j];
      flows.phase[flow.row] = flow.ends || (j + 1 == end && end - i > 1) ? FlowPhase::kEnd
                              : j == i                                   ? FlowPhase::kStart
                                                                         : FlowPhase::kStep;
      if (flow.span == kNoRow) continue;
      from_host |= IsHost(trace.spans.category[flow.span]);
      to_device |= IsDevice(trace.spans.category[flow.span]);
    }
    if (from_host && to_device && trace.categories.size() < UINT16_MAX) {
      for (size_t j = i; j < end; ++j) flows.category_id[rows[j].row] = launch_category();
    }
    i = end;
  }
}

void DropReplacedFlows(const std::vector<FlowRow>& rows, FlowPlaces& replaced, Trace& trace) {
  FlowTable& flows = trace.flows;
  if (replaced.empty()) return;
  std::vector<bool> gone(flows.size());
  for (const FlowRow& flow : rows) {
    const auto found = replaced.find({flow.flow_id, flows.time_ns[flow.row]});
    if (found == replaced.end()) continue;
    replaced.erase(found);
    gone[flow.row] = true;
  }
  size_t kept = 0;
  for (size_t row = 0; row < flows.size(); ++row) {
    if (gone[row]) continue;
    flows.time_ns[kept] = flows.time_ns[row];
    flows.id[kept] = flows.id[row];
    flows.track[kept] = flows.track[row];
    flows.category_id[kept] = flows.category_id[row];
    flows.phase[kept] = flows.phase[row];
    flows.offset[kept] = flows.offset[row];
    ++kept;
  }
  trace.source.events -= flows.size() - kept;
  flows.time_ns.resize(kept);
  flows.id.resize(kept);
  flows.track.resize(kept);
  flows.category_id.resize(kept);
  flows.phase.resize(kept);
  flows.offset.resize(kept);
}

}  // namespace telltale::perfetto
