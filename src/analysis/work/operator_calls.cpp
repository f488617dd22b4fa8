// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/operator_calls.h"

#include <algorithm>
#include <set>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

// Which step a moment belongs to: the steps cut time into stretches, each of one step or of none.
class StepFinder {
 public:
  explicit StepFinder(const Steps& steps) {
    if (steps.source == StepSource::kWholeTrace) {
      whole_ = !steps.rows.empty();
      return;
    }
    struct Edge {
      int64_t time_ns;
      uint32_t step;
      bool begins;
    };
    std::vector<Edge> edges;
    for (uint32_t i = 0; i < steps.rows.size(); ++i) {
      const Interval& host = steps.rows[i].host;
      if (host.end_ns <= host.start_ns) continue;
      edges.push_back({host.start_ns, i, true});
      edges.push_back({host.end_ns, i, false});
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& a, const Edge& b) { return a.time_ns < b.time_ns; });
    std::set<uint32_t> open;
    for (size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].begins) {
        open.insert(edges[i].step);
      } else {
        open.erase(edges[i].step);
      }
      if (i + 1 < edges.size() && edges[i + 1].time_ns == edges[i].time_ns) continue;
      starts_.push_back(edges[i].time_ns);
      steps_.push_back(open.empty() ? kNoRow : *open.rbegin());
    }
  }

  [[nodiscard]] uint32_t At(int64_t time_ns) const {
    if (starts_.empty()) return whole_ ? 0 : kNoRow;
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), time_ns);
    if (after == starts_.begin()) return kNoRow;
    return steps_[static_cast<size_t>(after - starts_.begin()) - 1];
  }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  std::vector<int64_t> starts_;
  std::vector<uint32_t> steps_;
  bool whole_ = false;
};

}  // namespace

OperatorCalls DescribeOperatorCalls(const TraceContext& context) {
  const Trace& trace = context.trace;
  const HostTree& tree = context.tree;
  OperatorCalls calls;
  Column<uint32_t> row_of(trace.spans.size());  // by span: node + 1, then row
  for (NodeId node = 0; node < tree.size(); ++node) {
    if (tree.folded_into[node] != node) continue;
    if (trace.spans.category[tree.span[node]] == Category::kRuntime) continue;
    row_of[tree.span[node]] = node + 1;
  }
  for (size_t span = 0; span < trace.spans.size(); ++span) {
    if (row_of[span] == 0) continue;
    const NodeId node = row_of[span] - 1;
    row_of[span] = static_cast<uint32_t>(calls.node.size());
    calls.node.push_back(node);
  }

  // By node: device time of its own and of all below it.
  Column<int64_t> device_total(tree.size());
  for (size_t i = 0; i < context.links.size(); ++i) {
    const NodeId owner = context.links.owner[i];
    if (owner != kNoRow)
      AddTo(device_total[owner], trace.spans.duration_ns[context.links.device[i]]);
  }
  calls.device_self_ns.reserve(calls.size());
  for (const NodeId node : calls.node) calls.device_self_ns.push_back(device_total[node]);
  Column<int64_t> child_ns(tree.size());
  for (NodeId node = static_cast<NodeId>(tree.size()); node-- > 0;) {  // children before parents
    if (const NodeId parent = tree.parent[node]; parent != kNoRow)
      AddTo(device_total[parent], device_total[node]);
    if (tree.folded_into[node] != node) continue;
    if (const NodeId parent = tree.EffectiveParent(node); parent != kNoRow)
      AddTo(child_ns[parent], trace.spans.duration_ns[tree.span[node]]);
  }

  const Column<NodeId> enclosing = EnclosingOperators(trace, tree);
  Column<uint32_t> depth(tree.size());
  for (NodeId node = 0; node < tree.size(); ++node) {  // parents before children
    if (enclosing[node] != kNoRow) depth[node] = depth[enclosing[node]] + 1;
  }
  for (const NodeId node : calls.node) {
    const NodeId parent = enclosing[node];
    calls.parent.push_back(parent == kNoRow ? kNoRow : row_of[tree.span[parent]]);
    calls.depth.push_back(depth[node]);
    calls.host_self_ns.push_back(
        Difference(trace.spans.duration_ns[tree.span[node]], child_ns[node]));
    calls.device_total_ns.push_back(device_total[node]);
  }
  return calls;
}

std::vector<GroupMemory> MemoryOfCalls(const TraceContext& context, const OperatorCalls& calls) {
  std::vector<uint32_t> group_of(context.tree.size(), kNoRow);
  for (uint32_t row = 0; row < calls.size(); ++row) group_of[calls.node[row]] = row;
  return SumMemory(context.trace, context.tree, group_of, calls.size());
}

SpanPlaces PlaceSpans(const TraceContext& context) {
  const Trace& trace = context.trace;
  const HostTree& tree = context.tree;
  const StepFinder steps(context.steps);
  SpanPlaces places;
  SpanRow* const owner = places.owner.extend(trace.spans.size());
  uint32_t* const step = places.step.extend(trace.spans.size());
  for (size_t span = 0; span < trace.spans.size(); ++span) {
    const Category category = trace.spans.category[span];
    const bool host = IsHost(category) || category == Category::kPython;
    owner[span] = kNoRow;
    step[span] = host ? steps.At(trace.spans.start_ns[span]) : kNoRow;
  }
  const Column<NodeId> enclosing = EnclosingOperators(trace, tree);
  for (NodeId node = 0; node < tree.size(); ++node) {
    if (enclosing[node] != kNoRow) owner[tree.span[node]] = tree.span[enclosing[node]];
  }
  for (size_t i = 0; i < context.links.size(); ++i) {
    const SpanRow span = context.links.device[i];
    if (context.links.owner[i] != kNoRow) owner[span] = tree.span[context.links.owner[i]];
    const NodeId launch = context.links.launch[i];
    if (launch != kNoRow) {
      step[span] = steps.At(trace.spans.start_ns[tree.span[launch]]);
    } else if (steps.whole()) {
      step[span] = 0;
    }
  }
  return places;
}

std::string_view NameOfStep(const TraceContext& context, size_t step) {
  const SpanRow span = context.steps.rows[step].span;
  if (span == kNoRow) return "0";
  const std::string_view name = context.trace.NameOfSpan(span);
  return context.steps.source == StepSource::kProfilerStep ? ProfilerStepNumber(name) : name;
}

}  // namespace telltale
