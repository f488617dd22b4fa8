// SPDX-License-Identifier: Apache-2.0
// What had to happen before what in one trace, in a form that the critical path can be read off:
// *work* is a device event, a *point* is a moment on a host thread at which it hands work over
// (a launch) or goes on after waiting. Between two points a thread simply runs. Edges lead forward
// in time only, so there are no cycles but those of length zero, which the reader of the graph
// cuts.
//
// Files: critical_path_graph.cpp puts it together, _waits.cpp finds what calls and streams waited
// for, _threads.cpp finds hand-overs between threads, _edges.h lists the edges of a node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/critical_path/critical_path.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

using PointId = uint32_t;  // kNoRow: none
using WorkId = uint32_t;   // kNoRow: none

// Why a thread went on at a point.
enum class PointWait : uint8_t { kNothing, kWork, kPoint, kMeeting };

struct PathPoint {
  int64_t time_ns = 0;
  // The thread itself was busy from the previous point until then, and waited from then on.
  int64_t own_end_ns = 0;
  NodeId next_node = 0;  // first node of the thread that starts at time_ns or later
  // A WorkId, PointId or place in PathWorld::meetings, by `wait`; kNoRow: nothing after all.
  uint32_t waits_on = kNoRow;
  SpanRow call = kNoRow;  // the launching or waiting call; none for hand-overs
  uint32_t thread = 0;
  PointWait wait = PointWait::kNothing;
};

// What a device event's start had to wait for last: the latest of these.
enum class WorkStart : uint8_t {
  kNothing,     // neither launch nor earlier work is known
  kLaunch,      // its launch
  kThread,      // its launch, which the trace puts after the start: the thread that launched it
  kStream,      // the work ahead of it on its stream
  kDependency,  // work on another stream
};

struct PathWork {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t launch_ns = 0;    // start of the launching call; start_ns without one
  int64_t call_end_ns = 0;  // end of the launching call
  SpanRow span = kNoRow;
  uint32_t stream = 0;
  PointId launch = kNoRow;     // for WorkStart::kThread: the last point before the start
  WorkId dependency = kNoRow;  // on another stream
  uint32_t meeting = kNoRow;   // into PathWorld::meetings: a collective that began elsewhere
  WorkStart start = WorkStart::kNothing;
  PathCause cause = PathCause::kKernel;
};

struct PathThread {
  TrackId track{0};
  NodeId first_node = 0;
  NodeId last_node = 0;
  PointId first_point = 0;
  PointId last_point = 0;
};

struct PathStream {
  int64_t device = kNoInt;
  int64_t stream = kNoInt;
  WorkId first = 0;
  WorkId last = 0;
};

// Ranges of data loaders on a thread, disjoint and in order of time: all that runs in them is data
// loading.
struct LoaderRange {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  SpanRow span = kNoRow;
};

struct PathGraph {
  const TraceContext* context = nullptr;
  int64_t offset_ns = 0;       // added to the trace's times: where several ranks share one clock
  Column<PathPoint> points;    // by thread, then time
  Column<PathWork> work;       // by stream, then start
  std::vector<WorkId> by_end;  // all work, by its end
  std::vector<PathThread> threads;
  std::vector<PathStream> streams;
  std::vector<std::vector<LoaderRange>> loaders;  // by thread; empty if the trace has none
  std::vector<uint32_t> thread_of_track;          // kNoRow: no host events
  Column<uint8_t> call_kinds;                     // CallKind by StringId (critical_path_calls.h)
  int64_t usual_launch_ns = 0;  // median of launch to start where only the launch was waited for
  PathNotes notes;

  // The last point of the thread that is not after `time_ns`, or kNoRow.
  [[nodiscard]] PointId PointAtOrBefore(uint32_t thread, int64_t time_ns) const;
  // The last work to end in (after_ns, until_ns] that was launched before `launched_before_ns`.
  [[nodiscard]] WorkId LastEnded(int64_t after_ns, int64_t until_ns,
                                 int64_t launched_before_ns) const;
  // The last to end in (after_ns, until_ns] on the device of `stream` but on another stream.
  [[nodiscard]] WorkId LastEndedElsewhere(int64_t after_ns, int64_t until_ns,
                                          uint32_t stream) const;
  // The first work of the stream that was launched at `time_ns` or later; its last + 1 if none was.
  [[nodiscard]] WorkId FirstLaunchedFrom(const PathStream& stream, int64_t time_ns) const;
  // The first node of the thread that starts at `time_ns` or later, searched from `from` on.
  [[nodiscard]] NodeId FirstNodeFrom(uint32_t thread, int64_t time_ns, NodeId from) const;
};

// A communication range on the host that other ranks take part in; the points are set.
struct HostCollective {
  SpanRow span = kNoRow;
  PointId begin = kNoRow;
  PointId end = kNoRow;
};

[[nodiscard]] PathGraph BuildPathGraph(const TraceContext& context, int64_t offset_ns,
                                       std::span<HostCollective> collectives = {});

// A collective cannot end before its last member has begun.
struct PathMeeting {
  uint32_t graph = 0;  // of the last member to begin
  WorkId work = kNoRow;
  PointId point = kNoRow;  // where the collective runs on the host
  int64_t time_ns = 0;     // when it began
};

// The graphs of the ranks that one path may cross, on one clock; mostly a single one.
struct PathWorld {
  std::vector<PathGraph> graphs;
  std::vector<uint32_t> file;  // of each graph
  std::vector<PathMeeting> meetings;
};

// The ranks on one clock, joined by their common collectives. No graphs if the clocks cannot be
// aligned.
[[nodiscard]] PathWorld JoinRanks(std::span<const TraceContext> contexts);

// The parts of building, in their order.

// A point before it has its place: `waits_on` of kind kPoint is a position in the list.
struct RawPoint {
  PathPoint point;
  bool has_node = false;  // next_node is known
};

// Calls that waited for the device become points; waits of streams become dependencies of work.
void FindWaits(PathGraph& graph, std::vector<RawPoint>& points);
// Which of launch, stream and dependency each device event's start waited for.
void FindStartCauses(PathGraph& graph);
// Forward and backward threads take turns: the one waits while the other works.
void FindHandOvers(PathGraph& graph, std::vector<RawPoint>& points);

}  // namespace telltale
