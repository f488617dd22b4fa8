// SPDX-License-Identifier: Apache-2.0
// The edges into a node of the path's graph, and the pieces of time that an edge stands for. A node
// is a point or the start of some work. Of the edges into a node one is *binding*: it is why the
// node happened when it did, and its pieces fill the time since its source without a gap. The
// others say only what must not happen earlier.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/critical_path/graph.h"

namespace telltale {

// A point or the start of work of some graph: the graphs' points and work one after the other.
using PathNode = uint32_t;  // kNoRow: the start of the region

enum class EdgeKind : uint8_t {
  kRun,     // the thread runs from one moment to the next
  kLaunch,  // the launching call, then the delay until the work starts
  kWork,    // work runs; if binding, then the delay until the waiting call ends or work starts
  kIdle,    // nothing is known
};

struct PathEdge {
  EdgeKind kind = EdgeKind::kIdle;
  bool binding = true;
  bool meets = false;  // its source is the last member of a collective to begin, on any rank
  PathNode from = kNoRow;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  uint32_t graph = 0;    // where the time was spent
  uint32_t thread = 0;   // kRun
  NodeId next_node = 0;  // kRun: first node of the thread at from_ns or later, or before it
  WorkId work = kNoRow;  // kWork: the source, which runs until work_end_ns
  int64_t work_end_ns = 0;
  WorkId target = kNoRow;  // kLaunch, kWork, kIdle: the work that starts
  SpanRow call = kNoRow;   // kLaunch; kWork: the call that waited
};

class PathEdges {
 public:
  static constexpr size_t kMost = 6;
  using List = std::array<PathEdge, kMost>;

  // Nothing before the start of the region is looked at.
  PathEdges(const PathWorld& world, int64_t region_start_ns);
  // The same, but of this graph's threads nothing before `host_start_ns`, which is earlier: where a
  // device is behind its host, a step's host begins before the work of the step before has ended.
  void LookAtHostFrom(uint32_t graph, int64_t host_start_ns) {
    host_start_ns_[graph] = std::min(start_ns_, host_start_ns);
  }

  [[nodiscard]] size_t node_count() const { return first_.back(); }
  [[nodiscard]] uint32_t GraphOf(PathNode node) const;
  [[nodiscard]] PathNode NodeOfPoint(uint32_t graph, PointId point) const {
    return first_[graph] + point;
  }
  [[nodiscard]] PathNode NodeOfWork(uint32_t graph, WorkId work) const {
    return first_[graph] + static_cast<PathNode>(world_.graphs[graph].points.size()) + work;
  }
  [[nodiscard]] PathNode NodeOf(const PathMeeting& meeting) const {
    return meeting.work != kNoRow ? NodeOfWork(meeting.graph, meeting.work)
                                  : NodeOfPoint(meeting.graph, meeting.point);
  }
  // The work whose start the node is, or kNoRow.
  [[nodiscard]] WorkId WorkOf(uint32_t graph, PathNode node) const {
    const PathNode local = node - first_[graph];
    const auto points = static_cast<PathNode>(world_.graphs[graph].points.size());
    return local < points ? kNoRow : local - points;
  }

  // The edges into a node that is after the region's start; the binding one first.
  size_t Into(PathNode node, List& edges) const;
  // A thread running until `to_ns`.
  [[nodiscard]] PathEdge RunUntil(uint32_t graph, uint32_t thread, int64_t to_ns) const;
  // Work running until its end; the binding one first.
  size_t WorkUntilEnd(uint32_t graph, WorkId work, List& edges) const;

  [[nodiscard]] const PathWorld& world() const { return world_; }
  [[nodiscard]] const PathGraph& graph(const PathEdge& edge) const {
    return world_.graphs[edge.graph];
  }
  [[nodiscard]] int64_t region_start_ns() const { return start_ns_; }
  [[nodiscard]] int64_t EarliestHost() const { return std::ranges::min(host_start_ns_); }

 private:
  [[nodiscard]] PathNode Known(PathNode node, int64_t time_ns) const {
    return time_ns <= start_ns_ ? kNoRow : node;
  }
  [[nodiscard]] PathNode KnownPoint(uint32_t graph, PointId point, int64_t time_ns) const {
    return time_ns <= host_start_ns_[graph] ? kNoRow : NodeOfPoint(graph, point);
  }
  [[nodiscard]] PathEdge Run(uint32_t graph, uint32_t thread, PointId from, int64_t to_ns) const;
  [[nodiscard]] PathEdge Launch(uint32_t graph, const PathWork& work, bool binding) const;
  void AddFromWork(uint32_t graph, WorkId work, int64_t to_ns, bool binding, List& edges,
                   size_t& count) const;
  size_t IntoPoint(uint32_t graph, PointId point, List& edges) const;
  size_t IntoWork(uint32_t graph, WorkId work, List& edges) const;

  const PathWorld& world_;
  int64_t start_ns_;
  std::vector<int64_t> host_start_ns_;  // by graph
  std::vector<PathNode> first_;         // of each graph, and one past the last
};

// What runs on a thread in [from_ns, to_ns), as (start_ns, end_ns, span): the innermost host event,
// kNoRow where there is none. `near`: the first node at from_ns or later, or one before it.
template <typename Each>
void ForEachSlice(const PathGraph& graph, uint32_t thread, int64_t from_ns, int64_t to_ns,
                  NodeId near, Each each) {
  const HostTree& tree = graph.context->tree;
  const SpanTable& spans = graph.context->trace.spans;
  const auto start_of = [&](NodeId n) { return spans.start_ns[tree.span[n]] + graph.offset_ns; };
  const auto end_of = [&](NodeId n) { return spans.end_ns(tree.span[n]) + graph.offset_ns; };
  const PathThread& range = graph.threads[thread];
  NodeId next = graph.FirstNodeFrom(thread, from_ns, near);
  NodeId current = next > range.first_node ? next - 1 : kNoRow;
  while (current != kNoRow && end_of(current) <= from_ns) current = tree.parent[current];
  int64_t time = from_ns;
  const auto advance = [&](int64_t to) {
    if (to <= time) return;
    each(time, to, current == kNoRow ? kNoRow : tree.span[current]);
    time = to;
  };
  while (time < to_ns) {
    const int64_t next_start = next < range.last_node ? std::min(start_of(next), to_ns) : to_ns;
    while (current != kNoRow && end_of(current) <= next_start) {
      advance(end_of(current));
      current = tree.parent[current];
    }
    advance(next_start);
    if (next_start >= to_ns || next >= range.last_node) break;
    // An event of no length is never current.
    if (end_of(next) > time) current = next;
    ++next;
  }
}

// What a host event on the path is called a cause of.
[[nodiscard]] PathCause CauseOfHostEvent(const PathGraph& graph, SpanRow row);

// The span itself, but none for a step's own event: its time is nobody's.
[[nodiscard]] inline SpanRow NamedAfter(const PathGraph& graph, SpanRow span) {
  const TraceContext& context = *graph.context;
  return span != kNoRow && context.facts.Is(context.trace.spans.name[span], NameFact::kStep)
             ? kNoRow
             : span;
}

// The pieces of an edge within the region, in order of time, as (start_ns, end_ns, cause, span,
// track).
template <typename Each>
void ForEachPiece(const PathEdges& edges, const PathEdge& edge, Each each) {
  const PathGraph& graph = edges.graph(edge);
  const SpanTable& spans = graph.context->trace.spans;
  const auto piece = [&](int64_t from, int64_t to, PathCause cause, SpanRow span) {
    from = std::max(from, edges.region_start_ns());
    if (from < to) each(from, to, cause, span, spans.track[span]);
  };
  switch (edge.kind) {
    case EdgeKind::kIdle:
      if (edge.from_ns < edge.to_ns) {
        each(edge.from_ns, edge.to_ns, PathCause::kIdle, kNoRow,
             spans.track[graph.work[edge.target].span]);
      }
      return;
    case EdgeKind::kLaunch: {
      const int64_t call_end = std::min(edge.to_ns, spans.end_ns(edge.call) + graph.offset_ns);
      piece(edge.from_ns, call_end, PathCause::kRuntime, edge.call);
      piece(std::max(edge.from_ns, call_end), edge.to_ns, PathCause::kLaunchDelay, edge.call);
      return;
    }
    case EdgeKind::kWork: {
      const PathWork& work = graph.work[edge.work];
      piece(edge.from_ns, edge.work_end_ns, work.cause, work.span);
      const int64_t end = std::max(edge.from_ns, edge.work_end_ns);
      if (edge.call != kNoRow) {
        piece(end, edge.to_ns, PathCause::kSynchronization, edge.call);
      } else if (edge.target != kNoRow) {
        piece(end, edge.to_ns, PathCause::kKernelGap, graph.work[edge.target].span);
      }
      return;
    }
    case EdgeKind::kRun: {
      const TrackId track = graph.threads[edge.thread].track;
      const std::vector<LoaderRange>* loaders =
          graph.loaders.empty() ? nullptr : &graph.loaders[edge.thread];
      size_t loader = 0;
      if (loaders != nullptr) {
        loader = static_cast<size_t>(
            std::partition_point(loaders->begin(), loaders->end(),
                                 [&](const LoaderRange& r) { return r.end_ns <= edge.from_ns; }) -
            loaders->begin());
      }
      ForEachSlice(graph, edge.thread, edge.from_ns, edge.to_ns, edge.next_node,
                   [&](int64_t from, int64_t to, SpanRow span) {
                     while (from < to) {
                       // Up to the next border of a loader's range.
                       while (loaders != nullptr && loader < loaders->size() &&
                              (*loaders)[loader].end_ns <= from) {
                         ++loader;
                       }
                       int64_t until = to;
                       bool loading = false;
                       if (loaders != nullptr && loader < loaders->size()) {
                         const LoaderRange& range = (*loaders)[loader];
                         loading = range.start_ns <= from;
                         until = std::min(to, loading ? range.end_ns : range.start_ns);
                       }
                       if (loading) {
                         each(from, until, PathCause::kDataLoading, (*loaders)[loader].span, track);
                       } else {
                         each(from, until, CauseOfHostEvent(graph, span), NamedAfter(graph, span),
                              track);
                       }
                       from = until;
                     }
                   });
      return;
    }
  }
}

}  // namespace telltale
