// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/event_arrows.h"

#include <algorithm>
#include <tuple>

#include "analysis/timeline/open_boxes.h"

namespace telltale {

namespace {

// The event's place in the host tree; kNoRow if it is no host event.
NodeId NodeOf(const TraceContext& context, SpanRow row, const HostThread*& thread) {
  const SpanTable& spans = context.trace.spans;
  if (!IsHost(spans.category[row])) return kNoRow;
  const auto& threads = context.tree.threads;
  const auto found = std::find_if(threads.begin(), threads.end(),
                                  [&](const HostThread& t) { return t.track == spans.track[row]; });
  if (found == threads.end()) return kNoRow;
  thread = &*found;
  const SpanRow* const begin = context.tree.span.data();
  const SpanRow* const at =
      std::lower_bound(begin + thread->first, begin + thread->last, row, [&](SpanRow a, SpanRow b) {
        return std::tuple(spans.start_ns[a], -spans.duration_ns[a], a) <
               std::tuple(spans.start_ns[b], -spans.duration_ns[b], b);
      });
  return at != begin + thread->last && *at == row ? static_cast<NodeId>(at - begin) : kNoRow;
}

// Launches and forward-backward pairs are known better from ids and numbers than from flows.
bool IsKnownOtherwise(std::string_view category) {
  return category == "ac2g" || category == "async_cpu_to_gpu" || category == "async_gpu" ||
         category == "async" || category == "fwdbwd" || category == "forward_backward";
}

}  // namespace

size_t LinkOf(const DeviceLinks& links, SpanRow row) {
  const SpanRow* const at = std::lower_bound(links.device.begin(), links.device.end(), row);
  if (at == links.device.end() || *at != row) return links.size();
  return static_cast<size_t>(at - links.device.begin());
}

std::vector<LaunchedEvent> LaunchedBy(const TraceContext& context, SpanRow row) {
  const SpanTable& spans = context.trace.spans;
  const HostTree& tree = context.tree;
  std::vector<LaunchedEvent> launched;
  const HostThread* thread = nullptr;
  const NodeId node = NodeOf(context, row, thread);
  if (node == kNoRow) return launched;
  const int64_t end_ns = spans.end_ns(row);
  const SpanRow* const past =
      std::lower_bound(tree.span.begin() + node + 1, tree.span.begin() + thread->last, end_ns,
                       [&](SpanRow span, int64_t time) { return spans.start_ns[span] < time; });
  const auto last = static_cast<NodeId>(past - tree.span.begin());
  for (size_t i = 0; i < context.links.size(); ++i) {
    const NodeId launch = context.links.launch[i];
    if (launch == kNoRow || launch < node || launch >= last) continue;
    const SpanRow call = tree.span[launch];
    if (spans.end_ns(call) > end_ns) continue;
    launched.push_back({call, context.links.device[i]});
  }
  return launched;
}

void AddForwardBackward(const TraceContext& context, const BackwardLinks& links, SpanRow row,
                        std::span<const SpanRow> parents, std::vector<EventArrow>& arrows) {
  const HostTree& tree = context.tree;
  // The nearest backward operator: the event itself or one around it.
  size_t nearest = parents.size() + 1;
  size_t backward = links.backward.size();
  size_t forward_arrows = 0;
  for (size_t i = 0; i < links.backward.size(); ++i) {
    if (links.forward[i] == kNoRow) continue;
    const SpanRow from = tree.span[links.forward[i]];
    const SpanRow to = tree.span[links.backward[i]];
    if (from == row && forward_arrows++ < kMostArrows) {
      arrows.push_back({"forward_backward", from, to});
    }
    if (to == row) {
      nearest = 0;
      backward = i;
    } else if (nearest > 0) {
      const auto at = std::find(parents.begin(), parents.end(), to);
      const auto distance = static_cast<size_t>(at - parents.begin()) + 1;
      if (at != parents.end() && distance < nearest) {
        nearest = distance;
        backward = i;
      }
    }
  }
  if (backward < links.backward.size()) {
    arrows.push_back({"forward_backward", tree.span[links.forward[backward]],
                      tree.span[links.backward[backward]]});
  }
}

void AddFlows(const Trace& trace, const FileRows& rows, SpanRow row,
              std::vector<EventArrow>& arrows) {
  const FlowTable& flows = trace.flows;
  std::vector<uint8_t> wanted(trace.categories.size(), 0);
  bool any = false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = IsKnownOtherwise(trace.Text(trace.categories[i].text)) ? 0 : 1;
    any |= wanted[i] != 0;
  }
  if (!any || flows.size() == 0) return;
  const auto is_wanted = [&](size_t i) {
    const auto category = static_cast<size_t>(flows.category_id[i]);
    return category < wanted.size() && wanted[category] != 0;
  };
  // The event's own ends of flows.
  const SpanTable& spans = trace.spans;
  std::vector<size_t> own;
  constexpr size_t kMostLookedAt = 20'000;  // an event around everything has few of its own
  size_t looked_at = 0;
  for (size_t i = 0; i < flows.size() && own.size() < kMostArrows; ++i) {
    if (flows.track[i] != spans.track[row] || flows.time_ns[i] < spans.start_ns[row] ||
        flows.time_ns[i] > spans.end_ns(row) || !is_wanted(i)) {
      continue;
    }
    if (++looked_at > kMostLookedAt) break;
    const SpanRow at = InnermostAt(trace, rows, flows.track[i], flows.time_ns[i]);
    if (at == row || (at == kNoRow && flows.time_ns[i] == spans.end_ns(row))) own.push_back(i);
  }
  if (own.empty()) return;
  const auto same_flow = [&](size_t a, size_t b) {
    return flows.id[a] == flows.id[b] && flows.category_id[a] == flows.category_id[b];
  };
  const auto before = [&](size_t a, size_t b) {
    return std::tuple(flows.time_ns[a], flows.phase[a], a) <
           std::tuple(flows.time_ns[b], flows.phase[b], b);
  };
  // The point of the same flow just before, and just after, each of them.
  std::vector<size_t> previous(own.size(), flows.size());
  std::vector<size_t> next(own.size(), flows.size());
  for (size_t i = 0; i < flows.size(); ++i) {
    for (size_t k = 0; k < own.size(); ++k) {
      if (i == own[k] || !same_flow(i, own[k])) continue;
      if (before(i, own[k])) {
        if (previous[k] == flows.size() || before(previous[k], i)) previous[k] = i;
      } else if (next[k] == flows.size() || before(i, next[k])) {
        next[k] = i;
      }
    }
  }
  for (size_t k = 0; k < own.size(); ++k) {
    const std::string_view kind =
        trace.Text(trace.categories[static_cast<size_t>(flows.category_id[own[k]])].text);
    const auto event_at = [&](size_t i) {
      return i == flows.size() ? kNoRow
                               : InnermostAt(trace, rows, flows.track[i], flows.time_ns[i]);
    };
    const SpanRow from = event_at(previous[k]);
    const SpanRow to = event_at(next[k]);
    if (from != kNoRow) arrows.push_back({kind, from, row});
    if (to != kNoRow) arrows.push_back({kind, row, to});
  }
}

}  // namespace telltale
