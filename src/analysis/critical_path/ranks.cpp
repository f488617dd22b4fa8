// SPDX-License-Identifier: Apache-2.0
// Several ranks as one: their clocks aligned, their collectives joined. A rank that waits in an
// all-reduce waits for the last one to come; there the path goes over to that rank.
#include <algorithm>
#include <utility>

#include "analysis/critical_path/graph.h"
#include "analysis/distributed/alignment.h"
#include "analysis/distributed/collectives.h"
#include "analysis/distributed/match_collectives.h"
#include "base/parallel.h"

namespace telltale {

namespace {

struct SpanWork {
  SpanRow span;
  WorkId work;
};

std::vector<SpanWork> WorkBySpan(const PathGraph& graph) {
  std::vector<SpanWork> works;
  for (WorkId w = 0; w < graph.work.size(); ++w) {
    if (graph.work[w].cause == PathCause::kCommunication) works.push_back({graph.work[w].span, w});
  }
  std::sort(works.begin(), works.end(),
            [](const SpanWork& a, const SpanWork& b) { return a.span < b.span; });
  return works;
}

// The host ranges of one file that take part in a match, by span.
std::vector<HostCollective> HostRanges(const CollectiveMatches& matches, uint32_t file,
                                       std::span<const CollectiveCall> calls) {
  std::vector<HostCollective> ranges;
  for (const CollectiveMember& member : matches.members) {
    if (member.file != file) continue;
    const CollectiveCall& call = calls[member.call];
    if (!call.on_device && call.time && Synchronises(call.kind)) {
      ranges.push_back({call.span, kNoRow, kNoRow});
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const HostCollective& a, const HostCollective& b) { return a.span < b.span; });
  const auto last = std::unique(
      ranges.begin(), ranges.end(),
      [](const HostCollective& a, const HostCollective& b) { return a.span == b.span; });
  ranges.erase(last, ranges.end());
  return ranges;
}

template <typename Row>
const Row* FindSpan(const std::vector<Row>& rows, SpanRow span) {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), span,
                       [](const Row& row, SpanRow wanted) { return row.span < wanted; });
  return at == rows.end() || at->span != span ? nullptr : &*at;
}

// One member of a collective in the graphs.
struct Member {
  uint32_t graph = 0;
  WorkId work = kNoRow;
  PointId begin = kNoRow;
  PointId end = kNoRow;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

}  // namespace

PathWorld JoinRanks(std::span<const TraceContext> contexts) {
  PathWorld world;
  const size_t files = contexts.size();
  const unsigned threads = files == 0 ? 1 : ThreadCount(contexts[0].options.threads);
  std::vector<std::vector<CollectiveCall>> calls(files);
  ForEachOnThreads(threads, files, [&](size_t f) { calls[f] = FindCollectives(contexts[f]); });
  const CollectiveMatches matches = MatchCollectives(contexts, calls);
  const Alignment alignment = AlignRanks(contexts, calls, matches);
  for (const FileAlignment& file : alignment.files) {
    if (file.source == AlignmentSource::kWallClock) return world;
  }
  std::vector<std::vector<HostCollective>> ranges(files);
  std::vector<std::vector<SpanWork>> works(files);
  world.graphs.resize(files);
  world.file.resize(files);
  ForEachOnThreads(threads, files, [&](size_t i) {
    const auto f = static_cast<uint32_t>(i);
    ranges[f] = HostRanges(matches, f, calls[f]);
    world.graphs[f] =
        BuildPathGraph(contexts[f], alignment.CommonTime(contexts[f].trace, f, 0), ranges[f]);
    world.file[f] = f;
    works[f] = WorkBySpan(world.graphs[f]);
  });
  std::vector<Member> members;
  for (uint32_t m = 0; m < matches.size(); ++m) {
    if (std::binary_search(alignment.contradicted.begin(), alignment.contradicted.end(), m)) {
      continue;
    }
    members.clear();
    for (const CollectiveMember& at : matches.Of(m)) {
      const CollectiveCall& call = calls[at.file][at.call];
      if (!call.time || !Synchronises(call.kind)) continue;
      const PathGraph& graph = world.graphs[at.file];
      Member member;
      member.graph = at.file;
      if (call.on_device) {
        const SpanWork* found = FindSpan(works[at.file], call.span);
        if (found == nullptr) continue;
        member.work = found->work;
        member.start_ns = graph.work[found->work].start_ns;
        member.end_ns = graph.work[found->work].end_ns;
      } else {
        const HostCollective* found = FindSpan(ranges[at.file], call.span);
        if (found == nullptr) continue;
        member.begin = found->begin;
        member.end = found->end;
        member.start_ns = graph.points[found->begin].time_ns;
        member.end_ns = graph.points[found->end].time_ns;
      }
      members.push_back(member);
    }
    if (members.size() < 2) continue;
    const Member& last =
        *std::max_element(members.begin(), members.end(),
                          [](const Member& a, const Member& b) { return a.start_ns < b.start_ns; });
    const auto meeting = static_cast<uint32_t>(world.meetings.size());
    world.meetings.push_back({last.graph, last.work, last.begin, last.start_ns});
    for (const Member& member : members) {
      // Where the clocks' error puts the last arrival after the end, nothing was waited for.
      if (member.start_ns >= last.start_ns || member.end_ns <= last.start_ns) continue;
      PathGraph& graph = world.graphs[member.graph];
      if (member.work != kNoRow) {
        graph.work[member.work].meeting = meeting;
        continue;
      }
      PathPoint& end = graph.points[member.end];
      end.waits_on = meeting;
      end.own_end_ns = member.start_ns + (member.end_ns - last.start_ns);
    }
  }
  return world;
}

}  // namespace telltale
