// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/edges.h"

#include "analysis/critical_path/calls.h"

namespace telltale {

PathEdges::PathEdges(const PathWorld& world, int64_t region_start_ns)
    : world_(world),
      start_ns_(region_start_ns),
      host_start_ns_(world.graphs.size(), region_start_ns),
      first_{0} {
  for (const PathGraph& graph : world.graphs) {
    first_.push_back(first_.back() +
                     static_cast<PathNode>(graph.points.size() + graph.work.size()));
  }
}

uint32_t PathEdges::GraphOf(PathNode node) const {
  if (world_.graphs.size() == 1) return 0;
  return static_cast<uint32_t>(std::upper_bound(first_.begin(), first_.end(), node) -
                               first_.begin() - 1);
}

size_t PathEdges::Into(PathNode node, List& edges) const {
  const uint32_t graph = GraphOf(node);
  const WorkId work = WorkOf(graph, node);
  return work == kNoRow ? IntoPoint(graph, node - first_[graph], edges)
                        : IntoWork(graph, work, edges);
}

PathEdge PathEdges::RunUntil(uint32_t graph, uint32_t thread, int64_t to_ns) const {
  return Run(graph, thread, world_.graphs[graph].PointAtOrBefore(thread, to_ns), to_ns);
}

size_t PathEdges::WorkUntilEnd(uint32_t graph, WorkId work, List& edges) const {
  size_t count = 0;
  AddFromWork(graph, work, world_.graphs[graph].work[work].end_ns, true, edges, count);
  return count;
}

PathEdge PathEdges::Run(uint32_t graph, uint32_t thread, PointId from, int64_t to_ns) const {
  const PathGraph& g = world_.graphs[graph];
  PathEdge edge;
  edge.kind = EdgeKind::kRun;
  edge.graph = graph;
  edge.thread = thread;
  const int64_t start_ns = host_start_ns_[graph];
  const bool inside = from != kNoRow && g.points[from].time_ns > start_ns;
  edge.from = inside ? NodeOfPoint(graph, from) : kNoRow;
  edge.from_ns = inside ? g.points[from].time_ns : start_ns;
  edge.to_ns = std::max(edge.from_ns, to_ns);
  edge.next_node = from == kNoRow ? g.threads[thread].first_node : g.points[from].next_node;
  return edge;
}

PathEdge PathEdges::Launch(uint32_t graph, const PathWork& work, bool binding) const {
  const PathGraph& g = world_.graphs[graph];
  PathEdge edge;
  edge.kind = EdgeKind::kLaunch;
  edge.graph = graph;
  edge.binding = binding;
  edge.call = g.points[work.launch].call;
  edge.from = KnownPoint(graph, work.launch, work.launch_ns);
  edge.from_ns = std::max(work.launch_ns, host_start_ns_[graph]);
  edge.to_ns = work.start_ns;
  // A launch that was early enough still takes what launches take.
  if (!binding) edge.to_ns = std::min(edge.to_ns, work.launch_ns + g.usual_launch_ns);
  edge.to_ns = std::max(edge.to_ns, edge.from_ns);
  return edge;
}

// Work runs until `to_ns` or its end. A collective runs from the moment its last member has begun;
// then its own beginning is a second, lesser reason.
void PathEdges::AddFromWork(uint32_t graph, WorkId work, int64_t to_ns, bool binding, List& edges,
                            size_t& count) const {
  const PathWork& source = world_.graphs[graph].work[work];
  PathEdge edge;
  edge.kind = EdgeKind::kWork;
  edge.graph = graph;
  edge.binding = binding;
  edge.work = work;
  const int64_t end_ns = std::min(to_ns, source.end_ns);
  edge.to_ns = binding ? to_ns : end_ns;
  edge.work_end_ns = end_ns;
  edge.from = NodeOfWork(graph, work);
  edge.from_ns = source.start_ns;
  const bool meets = source.meeting != kNoRow && world_.meetings[source.meeting].time_ns < end_ns;
  if (meets) {
    const PathMeeting& meeting = world_.meetings[source.meeting];
    edge.from = NodeOf(meeting);
    edge.from_ns = meeting.time_ns;
    edge.meets = true;
  }
  const auto add = [&](PathEdge added) {
    added.from = Known(added.from, added.from_ns);
    added.from_ns = std::max(added.from_ns, start_ns_);
    // A thread may have waited for work that ended before the region.
    if (added.from == kNoRow) added.from_ns = std::min(added.from_ns, added.to_ns);
    added.to_ns = std::max(added.to_ns, added.from_ns);
    edges[count++] = added;
  };
  add(edge);
  if (meets) {
    PathEdge own = edge;
    own.binding = false;
    own.meets = false;
    own.from = NodeOfWork(graph, work);
    own.from_ns = source.start_ns;
    own.work_end_ns = source.start_ns + (end_ns - edge.from_ns);
    own.to_ns = own.work_end_ns + (edge.to_ns - end_ns);
    add(own);
  }
}

size_t PathEdges::IntoPoint(uint32_t graph, PointId p, List& edges) const {
  const PathGraph& g = world_.graphs[graph];
  const PathPoint& point = g.points[p];
  const PointId before = p > g.threads[point.thread].first_point ? p - 1 : kNoRow;
  size_t count = 0;
  if (point.wait == PointWait::kNothing || point.waits_on == kNoRow) {
    edges[count++] = Run(graph, point.thread, before, point.time_ns);
    return count;
  }
  if (point.wait == PointWait::kWork) {
    AddFromWork(graph, point.waits_on, point.time_ns, true, edges, count);
    for (size_t i = 0; i < count; ++i) edges[i].call = point.call;
  } else if (point.wait == PointWait::kMeeting) {
    const PathMeeting& meeting = world_.meetings[point.waits_on];
    PathEdge& edge = edges[count++];
    edge = Run(graph, point.thread, before, point.time_ns);
    edge.from = Known(NodeOf(meeting), meeting.time_ns);
    edge.from_ns = std::max(meeting.time_ns, start_ns_);
    edge.meets = true;
  } else {
    // The time between is the waiting thread's: it was being woken, or ran what is not recorded.
    const PathPoint& other = g.points[point.waits_on];
    PathEdge& edge = edges[count++];
    edge = Run(graph, point.thread, before, point.time_ns);
    edge.from = KnownPoint(graph, point.waits_on, other.time_ns);
    edge.from_ns = std::max(other.time_ns, host_start_ns_[graph]);
  }
  PathEdge& own = edges[count++];
  own = Run(graph, point.thread, before, std::min(point.own_end_ns, point.time_ns));
  own.binding = false;
  return count;
}

size_t PathEdges::IntoWork(uint32_t graph, WorkId w, List& edges) const {
  const PathGraph& g = world_.graphs[graph];
  const PathWork& work = g.work[w];
  const WorkId ahead = w > g.streams[work.stream].first ? w - 1 : kNoRow;
  size_t count = 0;
  switch (work.start) {
    case WorkStart::kNothing:
      edges[count] = {};
      edges[count].graph = graph;
      edges[count].from_ns = start_ns_;
      edges[count++].to_ns = work.start_ns;
      break;
    case WorkStart::kLaunch:
      edges[count++] = Launch(graph, work, true);
      break;
    case WorkStart::kThread:
      edges[count++] = Run(graph, g.points[work.launch].thread, work.launch, work.start_ns);
      break;
    case WorkStart::kStream:
      AddFromWork(graph, ahead, work.start_ns, true, edges, count);
      break;
    case WorkStart::kDependency:
      AddFromWork(graph, work.dependency, work.start_ns, true, edges, count);
      break;
  }
  for (size_t i = 0; i < count; ++i) edges[i].target = w;
  if (work.start != WorkStart::kLaunch && work.start != WorkStart::kThread &&
      work.launch != kNoRow && work.launch_ns <= work.start_ns) {
    edges[count++] = Launch(graph, work, false);
  }
  if (work.start != WorkStart::kStream && ahead != kNoRow) {
    AddFromWork(graph, ahead, work.start_ns, false, edges, count);
  }
  if (work.start != WorkStart::kDependency && work.dependency != kNoRow) {
    AddFromWork(graph, work.dependency, work.start_ns, false, edges, count);
  }
  return count;
}

PathCause CauseOfHostEvent(const PathGraph& graph, SpanRow row) {
  if (row == kNoRow) return PathCause::kHostOther;
  const SpanTable& spans = graph.context->trace.spans;
  const StringId name = spans.name[row];
  if (spans.category[row] == Category::kRuntime) {
    return Waits(CallKind{graph.call_kinds[static_cast<size_t>(name)]})
               ? PathCause::kSynchronization
               : PathCause::kRuntime;
  }
  const NameFacts& facts = graph.context->facts;
  if (facts.Is(name, NameFact::kStep)) return PathCause::kHostOther;
  if (facts.Is(name, NameFact::kCommunicationRange)) return PathCause::kCommunication;
  return spans.category[row] == Category::kOperator ? PathCause::kOperator : PathCause::kHostOther;
}

}  // namespace telltale
