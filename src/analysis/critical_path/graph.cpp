// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/graph.h"

#include <algorithm>

#include "analysis/core/device_streams.h"
#include "analysis/core/sort_runs.h"
#include "analysis/critical_path/calls.h"
#include "base/cancel.h"

namespace telltale {

namespace {

PathCause CauseOfDeviceEvent(const TraceContext& context, SpanRow row) {
  switch (context.trace.spans.category[row]) {
    case Category::kMemcpy:
      return PathCause::kMemcpy;
    case Category::kMemset:
      return PathCause::kMemset;
    default:
      return IsCommunication(context.trace, context.facts, row) ? PathCause::kCommunication
                                                                : PathCause::kKernel;
  }
}

// Device events by stream, in order of their starts; launches are added later.
void CollectWork(PathGraph& graph) {
  const TraceContext& context = *graph.context;
  const SpanTable& spans = context.trace.spans;
  const DeviceLinks& links = context.links;
  const DeviceStreams streams = FindDeviceStreams(context.trace, links);
  for (const DeviceStream& key : streams.keys) {
    graph.streams.push_back({key.device, key.stream, 0, 0});
  }
  // What has no stream shares one.
  const auto unknown = static_cast<uint32_t>(graph.streams.size());
  graph.streams.push_back({});
  const auto stream_of = [&](size_t i) {
    return streams.of_event[i] == kNoRow ? unknown : streams.of_event[i];
  };
  for (size_t i = 0; i < links.size(); ++i) ++graph.streams[stream_of(i)].last;
  WorkId size = 0;
  for (PathStream& stream : graph.streams) {
    stream.first = size;
    size += stream.last;
    stream.last = stream.first;
  }
  static_cast<void>(graph.work.extend(links.size()));
  CancelCheck cancel;
  for (size_t i = 0; i < links.size(); ++i) {
    cancel.Tick();
    PathWork work;
    work.span = links.device[i];
    work.start_ns = spans.start_ns[work.span] + graph.offset_ns;
    work.end_ns = work.start_ns + spans.duration_ns[work.span];
    work.stream = stream_of(i);
    work.cause = CauseOfDeviceEvent(context, work.span);
    work.launch_ns = work.call_end_ns = work.start_ns;
    // The position among the links until the launch has a point.
    work.launch = static_cast<PointId>(i);
    graph.work[graph.streams[work.stream].last++] = work;
  }
  for (const PathStream& stream : graph.streams) {
    SortRuns(std::span(graph.work.begin() + stream.first, graph.work.begin() + stream.last),
             [](const PathWork& a, const PathWork& b) {
               if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
               return a.span < b.span;
             });
  }
}

void SortByEnd(PathGraph& graph) {
  graph.by_end.resize(graph.work.size());
  for (WorkId w = 0; w < graph.by_end.size(); ++w) graph.by_end[w] = w;
  SortRuns(std::span(graph.by_end),
           [&](WorkId a, WorkId b) { return graph.work[a].end_ns < graph.work[b].end_ns; });
}

// One point per launching call, shared by all it launched. Leaves positions in `points` as launch.
void CollectLaunches(PathGraph& graph, std::vector<RawPoint>& points) {
  const TraceContext& context = *graph.context;
  const SpanTable& spans = context.trace.spans;
  Column<PointId> point_of_node;  // + 1; 0: none yet
  if (!graph.work.empty()) point_of_node.resize(context.tree.size());
  for (PathWork& work : graph.work) {
    const NodeId node = context.links.launch[work.launch];
    work.launch = kNoRow;
    if (node == kNoRow) continue;
    const SpanRow call = context.tree.span[node];
    work.launch_ns = spans.start_ns[call] + graph.offset_ns;
    work.call_end_ns = work.launch_ns + spans.duration_ns[call];
    if (point_of_node[node] == 0) {
      RawPoint raw;
      raw.point.time_ns = raw.point.own_end_ns = work.launch_ns;
      raw.point.next_node = node;
      raw.point.call = call;
      raw.point.thread = graph.thread_of_track[static_cast<size_t>(spans.track[call])];
      raw.has_node = true;
      points.push_back(raw);
      point_of_node[node] = static_cast<PointId>(points.size());
    }
    work.launch = point_of_node[node] - 1;
  }
}

// Points by thread, then time; where two share a moment, what waited comes first. Rewrites the
// references to points.
void PlacePoints(PathGraph& graph, std::vector<RawPoint>& raw,
                 std::span<HostCollective> collectives) {
  std::vector<PointId> order(raw.size());
  std::vector<uint32_t> next(graph.threads.size() + 1, 0);
  for (const RawPoint& p : raw) ++next[p.point.thread + 1];
  for (size_t t = 1; t < next.size(); ++t) next[t] += next[t - 1];
  for (size_t t = 0; t < graph.threads.size(); ++t) {
    graph.threads[t].first_point = next[t];
    graph.threads[t].last_point = next[t + 1];
  }
  for (PointId i = 0; i < raw.size(); ++i) order[next[raw[i].point.thread]++] = i;
  for (const PathThread& thread : graph.threads) {
    SortRuns(std::span(order).subspan(thread.first_point, thread.last_point - thread.first_point),
             [&](PointId a, PointId b) {
               const PathPoint& pa = raw[a].point;
               const PathPoint& pb = raw[b].point;
               if (pa.time_ns != pb.time_ns) return pa.time_ns < pb.time_ns;
               const bool waited_a = pa.wait != PointWait::kNothing;
               const bool waited_b = pb.wait != PointWait::kNothing;
               if (waited_a != waited_b) return waited_a;
               return a < b;
             });
  }
  std::vector<PointId> place(raw.size());
  for (PointId i = 0; i < order.size(); ++i) place[order[i]] = i;
  PathPoint* const points = graph.points.extend(raw.size());
  for (size_t i = 0; i < order.size(); ++i) {
    points[i] = raw[order[i]].point;
    if (points[i].wait == PointWait::kPoint) points[i].waits_on = place[points[i].waits_on];
  }
  for (PathWork& work : graph.work) {
    if (work.launch != kNoRow) work.launch = place[work.launch];
  }
  for (HostCollective& collective : collectives) {
    collective.begin = place[collective.begin];
    collective.end = place[collective.end];
  }
  for (uint32_t t = 0; t < graph.threads.size(); ++t) {
    const PathThread& thread = graph.threads[t];
    NodeId from = thread.first_node;
    for (PointId p = thread.first_point; p < thread.last_point; ++p) {
      if (!raw[order[p]].has_node) {
        points[p].next_node = graph.FirstNodeFrom(t, points[p].time_ns, from);
      }
      from = std::max(from, points[p].next_node);
    }
  }
}

// Where collectives on the host begin and end.
void AddCollectives(const PathGraph& graph, std::span<HostCollective> collectives,
                    std::vector<RawPoint>& points) {
  const SpanTable& spans = graph.context->trace.spans;
  for (HostCollective& collective : collectives) {
    RawPoint raw;
    raw.point.thread = graph.thread_of_track[static_cast<size_t>(spans.track[collective.span])];
    raw.point.time_ns = raw.point.own_end_ns = spans.start_ns[collective.span] + graph.offset_ns;
    collective.begin = static_cast<PointId>(points.size());
    points.push_back(raw);
    raw.point.time_ns = raw.point.own_end_ns = spans.end_ns(collective.span) + graph.offset_ns;
    raw.point.wait = PointWait::kMeeting;  // for whom is found when all ranks are there
    collective.end = static_cast<PointId>(points.size());
    points.push_back(raw);
  }
}

void CollectLoaders(PathGraph& graph) {
  const TraceContext& context = *graph.context;
  const auto bit = static_cast<uint16_t>(NameFact::kDataLoaderRange);
  const Column<uint16_t>& bits = context.facts.bits;
  if (std::none_of(bits.begin(), bits.end(), [&](uint16_t b) { return (b & bit) != 0; })) return;
  graph.loaders.resize(graph.threads.size());
  const SpanTable& spans = context.trace.spans;
  CancelCheck cancel;
  for (size_t i = 0; i < spans.size(); ++i) {
    cancel.Tick();
    const Category category = spans.category[i];
    if ((category != Category::kOperator && category != Category::kAnnotation) ||
        !context.facts.Is(spans.name[i], NameFact::kDataLoaderRange)) {
      continue;
    }
    const int64_t start_ns = spans.start_ns[i] + graph.offset_ns;
    graph.loaders[graph.thread_of_track[static_cast<size_t>(spans.track[i])]].push_back(
        {start_ns, start_ns + spans.duration_ns[i], static_cast<SpanRow>(i)});
  }
  for (std::vector<LoaderRange>& ranges : graph.loaders) {
    std::stable_sort(ranges.begin(), ranges.end(), [](const LoaderRange& a, const LoaderRange& b) {
      return a.start_ns < b.start_ns;
    });
    int64_t end_ns = INT64_MIN;
    for (LoaderRange& range : ranges) {
      range.start_ns = std::max(range.start_ns, end_ns);
      end_ns = std::max(end_ns, range.end_ns);
    }
    std::erase_if(ranges, [](const LoaderRange& r) { return r.start_ns >= r.end_ns; });
  }
}

}  // namespace

PointId PathGraph::PointAtOrBefore(uint32_t thread, int64_t time_ns) const {
  const PathPoint* const first = points.begin() + threads[thread].first_point;
  const PathPoint* const last = points.begin() + threads[thread].last_point;
  const PathPoint* const at = std::partition_point(
      first, last, [&](const PathPoint& point) { return point.time_ns <= time_ns; });
  return at == first ? kNoRow : static_cast<PointId>(at - points.begin() - 1);
}

NodeId PathGraph::FirstNodeFrom(uint32_t thread, int64_t time_ns, NodeId from) const {
  const HostTree& tree = context->tree;
  const NodeId end = threads[thread].last_node;
  const auto before = [&](NodeId node) {
    return context->trace.spans.start_ns[tree.span[node]] + offset_ns < time_ns;
  };
  // The wanted one is mostly near.
  NodeId low = from;
  NodeId high = from;
  for (NodeId stride = 1; high < end && before(high); stride *= 2) {
    low = high + 1;
    high = stride < end - high ? high + stride : end;
  }
  while (low < high) {
    const NodeId middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

PathGraph BuildPathGraph(const TraceContext& context, int64_t offset_ns,
                         std::span<HostCollective> collectives) {
  PathGraph graph;
  graph.context = &context;
  graph.offset_ns = offset_ns;
  graph.call_kinds = FindCallKinds(context.trace);
  graph.thread_of_track.assign(context.trace.tracks.size(), kNoRow);
  for (const HostThread& thread : context.tree.threads) {
    graph.thread_of_track[static_cast<size_t>(thread.track)] =
        static_cast<uint32_t>(graph.threads.size());
    graph.threads.push_back({thread.track, thread.first, thread.last, 0, 0});
  }
  CollectLoaders(graph);
  CollectWork(graph);
  graph.notes.device_events = graph.work.size();
  std::vector<RawPoint> points;
  CollectLaunches(graph, points);
  SortByEnd(graph);
  FindWaits(graph, points);
  FindHandOvers(graph, points);
  AddCollectives(graph, collectives, points);
  PlacePoints(graph, points, collectives);
  FindStartCauses(graph);
  return graph;
}

}  // namespace telltale
