// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches/queue_length.h"

#include <algorithm>
#include <span>

#include "analysis/core/sort_runs.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// A launch's stay in one stream's queue.
struct Waiting {
  uint32_t stream;
  NodeId launch;
  int64_t start_ns;  // of its first device event there
};

StreamQueue QueueOf(std::vector<int64_t>& enter, std::vector<int64_t>& leave) {
  const auto ascending = [](int64_t a, int64_t b) { return a < b; };
  SortRuns(std::span(enter), ascending);
  SortRuns(std::span(leave), ascending);
  StreamQueue queue;
  queue.launches = enter.size();
  queue.points.reserve(enter.size() * 2);
  size_t entered = 0;
  size_t left = 0;
  while (left < leave.size()) {
    const int64_t now =
        entered < enter.size() ? std::min(enter[entered], leave[left]) : leave[left];
    const auto length = [&] { return static_cast<int64_t>(entered) - static_cast<int64_t>(left); };
    while (entered < enter.size() && enter[entered] == now) ++entered;
    queue.largest = std::max(queue.largest, length());
    while (left < leave.size() && leave[left] == now) ++left;
    queue.points.push_back({now, length()});
  }
  return queue;
}

}  // namespace

std::vector<StreamQueue> QueueLengths(const TraceContext& context, const DeviceStreams& streams) {
  const Trace& trace = context.trace;
  std::vector<Waiting> waiting;
  waiting.reserve(context.links.size());
  CancelCheck cancel;
  for (size_t i = 0; i < context.links.size(); ++i) {
    cancel.Tick();
    if (streams.of_event[i] == kNoRow || context.links.launch[i] == kNoRow) continue;
    if (!context.selection.HasDeviceEvent(trace, context.tree, context.links, i)) continue;
    waiting.push_back({streams.of_event[i], context.links.launch[i],
                       trace.spans.start_ns[context.links.device[i]]});
  }
  // All device events of one launch on one stream together, the first of them in front.
  SortRuns(std::span(waiting), [](const Waiting& a, const Waiting& b) {
    if (a.stream != b.stream) return a.stream < b.stream;
    if (a.launch != b.launch) return a.launch < b.launch;
    return a.start_ns < b.start_ns;
  });
  std::vector<StreamQueue> queues(streams.keys.size());
  std::vector<int64_t> enter;
  std::vector<int64_t> leave;
  for (size_t i = 0; i < waiting.size();) {
    enter.clear();
    leave.clear();
    const uint32_t stream = waiting[i].stream;
    NodeId last = kNoRow;
    for (; i < waiting.size() && waiting[i].stream == stream; ++i) {
      if (waiting[i].launch == last) continue;
      last = waiting[i].launch;
      const int64_t launched = trace.spans.start_ns[context.tree.span[last]];
      enter.push_back(launched);
      leave.push_back(std::max(launched, waiting[i].start_ns));
    }
    queues[stream] = QueueOf(enter, leave);
  }
  return queues;
}

}  // namespace telltale
