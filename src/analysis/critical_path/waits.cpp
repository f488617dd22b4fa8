// SPDX-License-Identifier: Apache-2.0
// What host calls, streams and device events waited for: from cuda_sync events where the capture
// has them, else from what the calls mean and from the times.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/core/sort_runs.h"
#include "analysis/critical_path/calls.h"
#include "analysis/critical_path/graph.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// How many candidates are looked at for one wait: whatever the input, a wait costs little. Beyond
// them would be work of other threads launched while this one waited.
constexpr int kMostCandidates = 32;

// Of so many streams it is known what was recorded last: a program that uses more is rare.
constexpr size_t kMostStreams = 16;

// Without a launch that could tell: more than what a launch takes on any machine.
constexpr int64_t kSlowLaunchNs = 10'000;
// Fewer launches onto an idle device do not say what is usual.
constexpr size_t kFewestLaunches = 8;

struct SyncEvent {
  uint64_t correlation;
  SpanRow row;
};

struct Call {
  uint64_t correlation;
  SpanRow row;
};

template <typename Row>
const Row* FindByCorrelation(const std::vector<Row>& rows, uint64_t correlation) {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), correlation,
                       [](const Row& row, uint64_t wanted) { return row.correlation < wanted; });
  return at == rows.end() || at->correlation != correlation ? nullptr : &*at;
}

class WaitFinder {
 public:
  WaitFinder(PathGraph& graph, std::vector<RawPoint>& points)
      : graph_(graph), trace_(graph.context->trace), points_(points) {
    for (const PathStream& stream : graph.streams) streams_.push_back(&stream);
    std::sort(streams_.begin(), streams_.end(), [](const PathStream* a, const PathStream* b) {
      return std::pair(a->stream, a->device) < std::pair(b->stream, b->device);
    });
  }

  void Run() {
    CollectSyncEvents();
    CollectCalls();
    CollectCopies();
    for (const Call& call : waiting_) AddCall(call);
    for (const SyncEvent& sync : syncs_) AddStreamWait(sync);
    if (syncs_.empty()) InferStreamWaits();
  }

 private:
  [[nodiscard]] int64_t StartOf(SpanRow row) const {
    return trace_.spans.start_ns[row] + graph_.offset_ns;
  }
  [[nodiscard]] int64_t EndOf(SpanRow row) const {
    return trace_.spans.end_ns(row) + graph_.offset_ns;
  }
  [[nodiscard]] CallKind KindOf(SpanRow call) const {
    return CallKind{graph_.call_kinds[static_cast<size_t>(trace_.spans.name[call])]};
  }
  [[nodiscard]] const SyncDetail* SyncOf(SpanRow row) const {
    const uint32_t detail = trace_.spans.detail[row];
    return detail == kNoDetail ? nullptr : &trace_.sync_details[detail];
  }

  void CollectSyncEvents() {
    CancelCheck cancel;
    for (size_t row = 0; row < trace_.spans.size(); ++row) {
      cancel.Tick();
      if (trace_.spans.category[row] != Category::kSync) continue;
      const SyncDetail* detail = SyncOf(static_cast<SpanRow>(row));
      if (detail == nullptr || detail->correlation == kNoUint) continue;
      syncs_.push_back({detail->correlation, static_cast<SpanRow>(row)});
    }
    graph_.notes.sync_events = !syncs_.empty();
    SortRuns(std::span(syncs_),
             [](const SyncEvent& a, const SyncEvent& b) { return a.correlation < b.correlation; });
  }

  void CollectCalls() {
    CancelCheck cancel;
    for (size_t i = 0; i < trace_.spans.size(); ++i) {
      cancel.Tick();
      if (trace_.spans.category[i] != Category::kRuntime) continue;
      const auto row = static_cast<SpanRow>(i);
      const CallKind kind = KindOf(row);
      if (kind == CallKind::kOther) continue;
      const RuntimeDetail* detail = trace_.RuntimeOf(row);
      const uint64_t correlation = detail == nullptr ? kNoUint : detail->correlation;
      if (kind == CallKind::kRecordEvent || kind == CallKind::kStreamWait) {
        events_.push_back({correlation, row});
      } else {
        waiting_.push_back({correlation, row});
      }
    }
    if (syncs_.empty()) return;
    SortRuns(std::span(events_),
             [](const Call& a, const Call& b) { return a.correlation < b.correlation; });
  }

  // Which copy each call made: the last to end, where it made several.
  void CollectCopies() {
    for (WorkId w = 0; w < graph_.work.size(); ++w) {
      const PathWork& work = graph_.work[w];
      if (work.cause != PathCause::kMemcpy || work.launch == kNoRow) continue;
      copies_.push_back({points_[work.launch].point.call, w});
    }
    std::sort(copies_.begin(), copies_.end(), [&](const Copy& a, const Copy& b) {
      if (a.correlation != b.correlation) return a.correlation < b.correlation;
      return graph_.work[a.work].end_ns > graph_.work[b.work].end_ns;
    });
  }

  // What the call waited for; kNoRow: nothing that was still running when it began. `exact`: the
  // capture says so, else it follows from the times.
  [[nodiscard]] WorkId WaitedFor(const Call& call, bool& exact) const {
    const int64_t start = StartOf(call.row);
    const int64_t end = EndOf(call.row);
    const CallKind kind = KindOf(call.row);
    exact = true;
    if (kind == CallKind::kCopy || kind == CallKind::kAsyncCopy) {
      const Copy* copy = FindByCorrelation(copies_, uint64_t{call.row});
      if (copy == nullptr) return kNoRow;
      // Copies from and to pageable memory return when the data has left it or arrived.
      const PathWork& work = graph_.work[copy->work];
      const bool pageable = trace_.NameOfSpan(work.span).find("Pageable") != std::string_view::npos;
      exact = false;
      return kind == CallKind::kCopy || pageable ? copy->work : kNoRow;
    }
    if (const SyncEvent* sync = FindByCorrelation(syncs_, call.correlation)) {
      const SyncDetail& detail = *SyncOf(sync->row);
      if (kind == CallKind::kWaitForEvent) return Recorded(detail);
      if (kind == CallKind::kWaitForStream && detail.stream >= 0) {
        return LastLaunched(detail.device, detail.stream, start);
      }
    }
    exact = false;
    return graph_.LastEnded(start, end, start);
  }

  void AddCall(const Call& call) {
    bool exact = false;
    const WorkId waited = WaitedFor(call, exact);
    if (waited == kNoRow) return;
    const int64_t start = StartOf(call.row);
    const int64_t end = EndOf(call.row);
    const PathWork& work = graph_.work[waited];
    if (work.end_ns <= start || work.start_ns >= end) return;
    if (work.end_ns > end) {
      if (!exact) return;
      ++graph_.notes.late_ends;
    }
    RawPoint raw;
    raw.point.time_ns = end;
    raw.point.own_end_ns = start;
    raw.point.waits_on = waited;
    raw.point.wait = PointWait::kWork;
    raw.point.call = call.row;
    raw.point.thread = graph_.thread_of_track[static_cast<size_t>(trace_.spans.track[call.row])];
    points_.push_back(raw);
  }

  // What a recorded event stood behind: the last work launched on its stream before.
  [[nodiscard]] WorkId Recorded(const SyncDetail& detail) const {
    if (detail.wait_on_record_correlation < 0 || detail.wait_on_stream < 0) return kNoRow;
    const Call* record =
        FindByCorrelation(events_, static_cast<uint64_t>(detail.wait_on_record_correlation));
    if (record == nullptr) return kNoRow;
    return LastLaunched(detail.device, detail.wait_on_stream, StartOf(record->row));
  }

  // Without a device: the first of that number.
  [[nodiscard]] const PathStream* StreamOf(int64_t device, int64_t stream) const {
    const auto at = std::lower_bound(streams_.begin(), streams_.end(), std::pair(stream, device),
                                     [](const PathStream* known, const auto& wanted) {
                                       return std::pair(known->stream, known->device) < wanted;
                                     });
    if (at == streams_.end() || (*at)->stream != stream) return nullptr;
    return device == kNoInt || (*at)->device == device ? *at : nullptr;
  }

  [[nodiscard]] WorkId LastLaunched(int64_t device, int64_t stream, int64_t before_ns) const {
    const PathStream* known = StreamOf(device, stream);
    if (known == nullptr) return kNoRow;
    const WorkId next = graph_.FirstLaunchedFrom(*known, before_ns);
    return next == known->first ? kNoRow : next - 1;
  }

  // A stream that waits for an event of another: the next work launched on it depends on what the
  // event stood behind.
  void AddStreamWait(const SyncEvent& sync) {
    const SyncDetail& detail = *SyncOf(sync.row);
    const Call* call = FindByCorrelation(events_, sync.correlation);
    if (call == nullptr || KindOf(call->row) != CallKind::kStreamWait) return;
    const WorkId source = Recorded(detail);
    const PathStream* waiting = StreamOf(detail.device, detail.stream);
    if (source == kNoRow || waiting == nullptr) return;
    const WorkId next = graph_.FirstLaunchedFrom(*waiting, StartOf(call->row));
    if (next == waiting->last) return;
    PathWork& work = graph_.work[next];
    const PathWork& other = graph_.work[source];
    if (work.stream == other.stream || other.start_ns >= work.start_ns) return;
    if (work.dependency == kNoRow || graph_.work[work.dependency].end_ns < other.end_ns) {
      work.dependency = source;
    }
    ++graph_.notes.known_dependencies;
  }

  // Without cuda_sync events the calls that record and await events are still there, though not
  // which event and stream they are about. A recorded event stands behind what its thread launched
  // last; a wait is of the stream that is launched on next, for the last such event of another
  // stream. Where the times contradict this, it is not so.
  void InferStreamWaits() {
    struct Turn {
      uint32_t thread;
      int64_t time_ns;
      CallKind kind;  // kOther: a launch
      WorkId work;
    };
    if (std::ranges::none_of(
            events_, [&](const Call& call) { return KindOf(call.row) == CallKind::kStreamWait; })) {
      return;
    }
    // Some captures lack the calls that record: then what is awaited was recorded just before.
    const bool records = std::ranges::any_of(
        events_, [&](const Call& call) { return KindOf(call.row) == CallKind::kRecordEvent; });
    std::vector<Turn> turns;
    for (const Call& call : events_) {
      const auto track = static_cast<size_t>(trace_.spans.track[call.row]);
      turns.push_back({graph_.thread_of_track[track], StartOf(call.row), KindOf(call.row), kNoRow});
    }
    for (WorkId w = 0; w < graph_.work.size(); ++w) {
      const PathWork& work = graph_.work[w];
      if (work.launch == kNoRow) continue;
      turns.push_back({points_[work.launch].point.thread, work.launch_ns, CallKind::kOther, w});
    }
    std::ranges::sort(turns, [](const Turn& a, const Turn& b) {
      return std::tie(a.thread, a.time_ns, a.work) < std::tie(b.thread, b.time_ns, b.work);
    });
    std::vector<WorkId> recorded;  // the last of each stream, the latest first
    WorkId launched = kNoRow;
    bool waits = false;
    for (size_t i = 0; i < turns.size(); ++i) {
      const Turn& turn = turns[i];
      if (i > 0 && turns[i - 1].thread != turn.thread) {
        recorded.clear();
        launched = kNoRow;
        waits = false;
      }
      if (turn.kind == CallKind::kStreamWait) {
        if (!records && launched != kNoRow) Remember(launched, recorded);
        waits = true;
      } else if (turn.kind == CallKind::kRecordEvent) {
        if (launched != kNoRow) Remember(launched, recorded);
      } else {
        if (waits) InferDependency(turn.work, recorded);
        waits = false;
        launched = turn.work;
      }
    }
  }

  void Remember(WorkId work, std::vector<WorkId>& recorded) const {
    std::erase_if(recorded, [&](WorkId known) {
      return graph_.work[known].stream == graph_.work[work].stream;
    });
    recorded.insert(recorded.begin(), work);
    if (recorded.size() > kMostStreams) recorded.pop_back();
  }

  void InferDependency(WorkId waiting, std::span<const WorkId> recorded) {
    PathWork& work = graph_.work[waiting];
    const auto other = std::ranges::find_if(
        recorded, [&](WorkId known) { return graph_.work[known].stream != work.stream; });
    if (other == recorded.end() || graph_.work[*other].end_ns > work.start_ns) return;
    work.dependency = *other;
    ++graph_.notes.guessed_dependencies;
  }

  struct Copy {
    uint64_t correlation;  // the call's row
    WorkId work;
  };

  PathGraph& graph_;
  const Trace& trace_;
  std::vector<RawPoint>& points_;
  std::vector<const PathStream*> streams_;  // by stream, then device
  std::vector<SyncEvent> syncs_;
  std::vector<Call> waiting_;
  std::vector<Call> events_;  // that record or await events
  std::vector<Copy> copies_;
};

// When the work ahead of `w` on its stream had ended, or started where the two overlap; kNoRow as
// `ahead` if it is the first.
struct Ahead {
  WorkId work = kNoRow;
  int64_t ready_ns = 0;
};

Ahead AheadOf(const PathGraph& graph, WorkId w) {
  const PathWork& work = graph.work[w];
  if (w == graph.streams[work.stream].first) return {};
  return {w - 1, std::min(graph.work[w - 1].end_ns, work.start_ns)};
}

// Launch to start, the (lower) median of those where nothing but the launch was waited for.
int64_t UsualLaunch(const PathGraph& graph) {
  std::vector<int64_t> delays;
  for (WorkId w = 0; w < graph.work.size(); ++w) {
    const PathWork& work = graph.work[w];
    if (work.launch == kNoRow || work.launch_ns > work.start_ns) continue;
    const Ahead ahead = AheadOf(graph, w);
    if (ahead.work != kNoRow && ahead.ready_ns > work.launch_ns) continue;
    delays.push_back(work.start_ns - work.launch_ns);
  }
  if (delays.empty()) return kSlowLaunchNs;
  const auto middle = delays.begin() + static_cast<std::ptrdiff_t>((delays.size() - 1) / 2);
  std::nth_element(delays.begin(), middle, delays.end());
  // Of a device that is behind all the time only the first few say anything, and they may have
  // waited for what was before the recording.
  return delays.size() < kFewestLaunches ? std::min(*middle, kSlowLaunchNs) : *middle;
}

}  // namespace

WorkId PathGraph::FirstLaunchedFrom(const PathStream& stream, int64_t time_ns) const {
  const PathWork* const at =
      std::partition_point(work.begin() + stream.first, work.begin() + stream.last,
                           [&](const PathWork& w) { return w.launch_ns < time_ns; });
  return static_cast<WorkId>(at - work.begin());
}

WorkId PathGraph::LastEnded(int64_t after_ns, int64_t until_ns, int64_t launched_before_ns) const {
  auto at = std::partition_point(by_end.begin(), by_end.end(),
                                 [&](WorkId w) { return work[w].end_ns <= until_ns; });
  for (int i = 0; i < kMostCandidates && at != by_end.begin(); ++i) {
    const PathWork& candidate = work[*--at];
    if (candidate.end_ns <= after_ns) break;
    if (candidate.launch_ns < launched_before_ns) return *at;
  }
  return kNoRow;
}

WorkId PathGraph::LastEndedElsewhere(int64_t after_ns, int64_t until_ns, uint32_t stream) const {
  auto at = std::partition_point(by_end.begin(), by_end.end(),
                                 [&](WorkId w) { return work[w].end_ns <= until_ns; });
  for (int i = 0; i < kMostCandidates && at != by_end.begin(); ++i) {
    const PathWork& candidate = work[*--at];
    if (candidate.end_ns <= after_ns) break;
    if (candidate.stream != stream && streams[candidate.stream].device == streams[stream].device) {
      return *at;
    }
  }
  return kNoRow;
}

void FindWaits(PathGraph& graph, std::vector<RawPoint>& points) {
  if (graph.work.empty()) return;
  WaitFinder(graph, points).Run();
}

void FindStartCauses(PathGraph& graph) {
  graph.usual_launch_ns = UsualLaunch(graph);
  for (WorkId w = 0; w < graph.work.size(); ++w) {
    PathWork& work = graph.work[w];
    int64_t ready_ns = INT64_MIN;
    const auto waited_for = [&](WorkStart start, int64_t time_ns) {
      if (time_ns < ready_ns) return;
      work.start = start;
      ready_ns = time_ns;
    };
    if (work.launch != kNoRow && work.launch_ns <= work.start_ns) {
      waited_for(WorkStart::kLaunch, work.launch_ns);
    }
    const Ahead ahead = AheadOf(graph, w);
    if (ahead.work != kNoRow) {
      if (graph.work[ahead.work].end_ns > work.start_ns) ++graph.notes.overlaps_on_stream;
      // At the same time as the launch: the launch, as on an empty stream.
      if (ahead.ready_ns > ready_ns) waited_for(WorkStart::kStream, ahead.ready_ns);
    }
    if (work.dependency != kNoRow) {
      const int64_t end = graph.work[work.dependency].end_ns;
      waited_for(WorkStart::kDependency, std::min(end, work.start_ns));
    }
    if (work.launch != kNoRow && work.launch_ns > work.start_ns) {
      ++graph.notes.early_starts;
      // Its launch still came last; the thread that made it is as far as it was at the start.
      work.launch = graph.PointAtOrBefore(graph.points[work.launch].thread, work.start_ns);
      if (work.launch != kNoRow && ready_ns < work.start_ns) work.start = WorkStart::kThread;
      continue;
    }
    // It could have started long ago and did not. If its launch was still going on, that is what it
    // waited for; else, if other work of the device ended in the meantime, that: an event that the
    // capture does not show, or a full device.
    const int64_t near_ns = 2 * graph.usual_launch_ns;
    if (work.launch != kNoRow && work.start_ns - ready_ns > near_ns &&
        work.call_end_ns + near_ns >= work.start_ns) {
      work.start = WorkStart::kLaunch;
      continue;
    }
    if (work.start != WorkStart::kNothing && work.start_ns - ready_ns > near_ns) {
      const WorkId other = graph.LastEndedElsewhere(ready_ns, work.start_ns, work.stream);
      if (other != kNoRow && graph.work[other].start_ns < work.start_ns) {
        work.dependency = other;
        work.start = WorkStart::kDependency;
        ++graph.notes.guessed_dependencies;
      }
    }
  }
}

}  // namespace telltale
