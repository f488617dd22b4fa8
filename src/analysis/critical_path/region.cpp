// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/region.h"

#include "base/cancel.h"

#include <algorithm>
#include <map>
#include <utility>

namespace telltale {

namespace {

// From a host event to the last end of what it launched.
CriticalRegion RegionOf(const PathGraph& graph, uint32_t number, SpanRow span, Interval host,
                        Interval bounds) {
  CriticalRegion region;
  region.bounds = bounds;
  const auto track = static_cast<size_t>(graph.context->trace.spans.track[span]);
  region.hosts.push_back({number, graph.thread_of_track[track], host.end_ns});
  region.launches.push_back({number, host, host.start_ns});
  return region;
}

// All threads and all work.
CriticalRegion WholeTrace(const PathGraph& graph, uint32_t number, Interval bounds) {
  CriticalRegion region;
  region.bounds = bounds;
  const SpanTable& spans = graph.context->trace.spans;
  for (uint32_t t = 0; t < graph.threads.size(); ++t) {
    int64_t end_ns = bounds.start_ns;
    CancelCheck cancel;
    for (NodeId n = graph.threads[t].first_node; n < graph.threads[t].last_node; ++n) {
      cancel.Tick();
      end_ns = std::max(end_ns, spans.end_ns(graph.context->tree.span[n]) + graph.offset_ns);
    }
    region.hosts.push_back({number, t, end_ns});
  }
  region.launches.push_back({number, {INT64_MIN, INT64_MAX}, std::nullopt});
  return region;
}

Interval Shifted(Interval interval, int64_t offset_ns) {
  return {interval.start_ns + offset_ns, interval.end_ns + offset_ns};
}

// Whether hosts begin the region before the device is done with the one before, which they have
// left by then. Steps whose hosts overlap are no chain: what one waits for is in the other, too.
bool IsBehind(const CriticalRegion& region) {
  const auto begins_alone = [](const RegionLaunches& launches) {
    return launches.host_start_ns == launches.window.start_ns;
  };
  return std::ranges::all_of(region.launches, begins_alone) &&
         std::ranges::any_of(region.launches, [&](const RegionLaunches& launches) {
           return launches.window.start_ns < region.bounds.start_ns;
         });
}

}  // namespace

bool LaunchedInside(const PathGraph& graph, WorkId work, const Interval& window) {
  return graph.work[work].launch_ns >= window.start_ns &&
         graph.work[work].launch_ns < window.end_ns;
}

std::vector<CriticalRegion> StepRegions(const PathGraph& graph, uint32_t number) {
  const Trace& trace = graph.context->trace;
  const Steps& steps = graph.context->steps;
  std::vector<CriticalRegion> regions;
  int64_t host_end_ns = INT64_MIN;
  for (const Step& step : steps.rows) {
    if (!step.complete || !step.selected) continue;
    const Interval bounds = Shifted(step.bounds, graph.offset_ns);
    if (step.span == kNoRow) {
      regions.push_back(WholeTrace(graph, number, bounds));
      continue;
    }
    regions.push_back(
        RegionOf(graph, number, step.span, Shifted(step.host, graph.offset_ns), bounds));
    RegionLaunches& launches = regions.back().launches[0];
    launches.host_start_ns = std::max(launches.window.start_ns, host_end_ns);
    host_end_ns = std::max(host_end_ns, launches.window.end_ns);
    const std::string_view name = trace.NameOfSpan(step.span);
    regions.back().name =
        steps.source == StepSource::kProfilerStep ? ProfilerStepNumber(name) : name;
  }
  return regions;
}

std::vector<CriticalRegion> CommonStepRegions(const PathWorld& world) {
  std::map<std::string, std::vector<CriticalRegion>> by_name;
  for (uint32_t g = 0; g < world.graphs.size(); ++g) {
    if (world.graphs[g].context->steps.source == StepSource::kWholeTrace) return {};
    for (CriticalRegion& region : StepRegions(world.graphs[g], g)) {
      std::vector<CriticalRegion>& same = by_name[region.name];
      if (same.empty() || same.back().launches[0].graph != g) same.push_back(std::move(region));
    }
  }
  std::vector<CriticalRegion> regions;
  for (auto& [name, same] : by_name) {
    if (same.size() != world.graphs.size()) continue;
    CriticalRegion region = same[0];
    for (size_t i = 1; i < same.size(); ++i) {
      region.bounds.start_ns = std::min(region.bounds.start_ns, same[i].bounds.start_ns);
      region.bounds.end_ns = std::max(region.bounds.end_ns, same[i].bounds.end_ns);
      region.hosts.push_back(same[i].hosts[0]);
      region.launches.push_back(same[i].launches[0]);
    }
    regions.push_back(std::move(region));
  }
  std::stable_sort(regions.begin(), regions.end(),
                   [](const CriticalRegion& a, const CriticalRegion& b) {
                     return a.bounds.start_ns < b.bounds.start_ns;
                   });
  int64_t end_ns = INT64_MIN;
  for (CriticalRegion& region : regions) {
    region.bounds.start_ns = std::max(region.bounds.start_ns, end_ns);
    region.bounds.end_ns = std::max(region.bounds.end_ns, region.bounds.start_ns);
    end_ns = region.bounds.end_ns;
  }
  return regions;
}

std::vector<CriticalRegion> AnnotationRegions(const PathGraph& graph, const std::string& annotation,
                                              uint64_t instance, uint64_t& instances) {
  const Trace& trace = graph.context->trace;
  const SpanTable& spans = trace.spans;
  const StringId name = trace.strings.Find(annotation);
  std::vector<SpanRow> rows;
  for (size_t i = 0; name != kNoString && i < spans.size(); ++i) {
    if (spans.name[i] == name && spans.category[i] == Category::kAnnotation) {
      rows.push_back(static_cast<SpanRow>(i));
    }
  }
  instances += rows.size();
  if (instance >= rows.size()) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [&](SpanRow a, SpanRow b) { return spans.start_ns[a] < spans.start_ns[b]; });
  const SpanRow span = rows[instance];
  const Interval host = Shifted({spans.start_ns[span], spans.end_ns(span)}, graph.offset_ns);
  Interval bounds = host;
  for (const PathStream& stream : graph.streams) {
    const WorkId last = graph.FirstLaunchedFrom(stream, host.end_ns);
    for (WorkId w = graph.FirstLaunchedFrom(stream, host.start_ns); w < last; ++w) {
      bounds.end_ns = std::max(bounds.end_ns, graph.work[w].end_ns);
    }
  }
  std::vector<CriticalRegion> regions = {RegionOf(graph, 0, span, host, bounds)};
  regions[0].name = annotation;
  return regions;
}

std::vector<RegionChain> ChainRegions(std::span<const CriticalRegion> regions) {
  std::vector<RegionChain> chains;
  for (size_t i = 0; i < regions.size(); ++i) {
    const CriticalRegion& region = regions[i];
    const bool follows = !chains.empty() &&
                         regions[i - 1].bounds.end_ns == region.bounds.start_ns && IsBehind(region);
    if (follows) {
      chains.back().last = i + 1;
    } else {
      chains.push_back({i, i + 1});
    }
  }
  return chains;
}

CriticalRegion JoinChain(std::span<const CriticalRegion> chain) {
  CriticalRegion region = chain.back();
  region.bounds.start_ns = chain.front().bounds.start_ns;
  return region;
}

PathEdges EdgesOfChain(const PathWorld& world, const CriticalRegion& first) {
  PathEdges edges(world, first.bounds.start_ns);
  for (const RegionLaunches& launches : first.launches) {
    if (launches.host_start_ns) edges.LookAtHostFrom(launches.graph, *launches.host_start_ns);
  }
  return edges;
}

std::optional<PathEdge> LastEdge(const PathEdges& edges, const CriticalRegion& region) {
  if (region.bounds.end_ns <= region.bounds.start_ns) return std::nullopt;
  for (const RegionHost& host : region.hosts) {
    if (host.end_ns == region.bounds.end_ns) {
      return edges.RunUntil(host.graph, host.thread, host.end_ns);
    }
  }
  for (const RegionLaunches& launches : region.launches) {
    const PathGraph& graph = edges.world().graphs[launches.graph];
    auto at = std::partition_point(graph.by_end.begin(), graph.by_end.end(), [&](WorkId w) {
      return graph.work[w].end_ns < region.bounds.end_ns;
    });
    for (; at != graph.by_end.end() && graph.work[*at].end_ns == region.bounds.end_ns; ++at) {
      if (!LaunchedInside(graph, *at, launches.window)) continue;
      PathEdges::List list;
      edges.WorkUntilEnd(launches.graph, *at, list);
      return list[0];
    }
  }
  return std::nullopt;
}

std::vector<PathEdge> WalkCriticalPath(const PathEdges& edges, const CriticalRegion& region) {
  std::vector<PathEdge> path;
  const std::optional<PathEdge> last = LastEdge(edges, region);
  if (!last) return path;
  path.push_back(*last);
  PathEdges::List list;
  while (path.back().from != kNoRow) {
    edges.Into(path.back().from, list);
    path.push_back(list[0]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace telltale
