// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle/idle.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analysis/core/device_streams.h"
#include "analysis/core/interval_cover.h"
#include "analysis/core/intervals.h"
#include "analysis/core/runtime_calls.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

struct Event {
  uint32_t stream;  // into DeviceStreams::keys
  SpanRow row;
  NodeId launch;
  int64_t start_ns;
  int64_t end_ns;
};

struct Gap {
  Interval time;
  IdleCause cause;
  SpanRow before;
  SpanRow after;
  NodeId launch;
  uint32_t stream;
};

// What a thread waited for, from the host tree.
struct ThreadWaits {
  IntervalCover input;
  IntervalCover synchronisation;
};

class Describer {
 public:
  explicit Describer(const TraceContext& context)
      : context_(context),
        trace_(context.trace),
        streams_(FindDeviceStreams(context.trace, context.links)),
        blocking_(context.trace.strings.size(), kUnknown) {}

  IdleReport Describe() {
    CollectEvents();
    const auto by_start = [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; };
    // First every stream, then the devices, whose streams follow each other.
    SortRuns(std::span(events_), [&](const Event& a, const Event& b) {
      return a.stream != b.stream ? a.stream < b.stream : by_start(a, b);
    });
    for (size_t begin = 0; begin < events_.size();) {
      const int64_t device = DeviceOf(events_[begin]);
      const size_t row = report_.rows.size();
      report_.rows.emplace_back();
      size_t end = begin;
      while (end < events_.size() && DeviceOf(events_[end]) == device) {
        const size_t first = end;
        while (end < events_.size() && events_[end].stream == events_[first].stream) ++end;
        report_.rows.push_back(Lane(std::span(events_).subspan(first, end - first), false));
      }
      const std::span<Event> all = std::span(events_).subspan(begin, end - begin);
      SortRuns(all, by_start);
      report_.rows[row] = Lane(all, true);
      begin = end;
    }
    FinishGaps();
    return std::move(report_);
  }

 private:
  enum : uint8_t { kUnknown, kBlocks, kReturns };

  void CollectEvents() {
    const DeviceLinks& links = context_.links;
    events_.reserve(links.size());
    CancelCheck cancel;
    for (size_t i = 0; i < links.size(); ++i) {
      cancel.Tick();
      if (streams_.of_event[i] == kNoRow) continue;
      if (!context_.selection.HasDeviceEvent(trace_, context_.tree, links, i)) continue;
      const SpanRow row = links.device[i];
      events_.push_back({streams_.of_event[i], row, links.launch[i], trace_.spans.start_ns[row],
                         trace_.spans.end_ns(row)});
    }
  }

  [[nodiscard]] int64_t DeviceOf(const Event& event) const {
    return streams_.keys[event.stream].device;
  }

  // `events` in order of their starts, not none.
  IdleRow Lane(std::span<const Event> events, bool whole_device) {
    const DeviceStream& key = streams_.keys[events.front().stream];
    IdleRow row;
    row.device = key.device;
    row.whole_device = whole_device;
    if (!whole_device && key.stream != kNoInt) row.stream = key.stream;
    row.events = events.size();
    const Event* last = &events.front();  // the one that ends last so far
    for (const Event& event : events) {
      if (event.start_ns > last->end_ns) AddGap(row, *last, event, whole_device);
      if (event.end_ns > last->end_ns) last = &event;
    }
    row.window_ns = Difference(last->end_ns, events.front().start_ns);
    row.busy_ns = Difference(row.window_ns, row.idle_ns);
    if (row.gaps > 0) row.gap_mean_ns = Mean(row.idle_ns, static_cast<int64_t>(row.gaps));
    return row;
  }

  void AddGap(IdleRow& row, const Event& before, const Event& after, bool whole_device) {
    const Gap gap = {{before.end_ns, after.start_ns},
                     CauseOf(before.end_ns, after),
                     before.row,
                     after.row,
                     after.launch,
                     after.stream};
    const int64_t length = Difference(gap.time.end_ns, gap.time.start_ns);
    ++row.gaps;
    AddTo(row.idle_ns, length);
    row.gap_min_ns = std::min(row.gap_min_ns.value_or(length), length);
    row.gap_max_ns = std::max(row.gap_max_ns.value_or(length), length);
    AddTo(row.cause_ns[static_cast<size_t>(gap.cause)], length);
    ++row.cause_gaps[static_cast<size_t>(gap.cause)];
    if (whole_device) Keep(gap);
  }

  IdleCause CauseOf(int64_t gap_start, const Event& after) {
    if (after.launch == kNoRow) return IdleCause::kOther;
    const SpanRow call = context_.tree.span[after.launch];
    const int64_t launched = trace_.spans.start_ns[call];
    if (launched <= gap_start) {
      return Difference(after.start_ns, gap_start) < kKernelWaitNs ? IdleCause::kKernelWait
                                                                   : IdleCause::kOther;
    }
    // Launched in time for most of the gap: the device waited for something else.
    const int64_t called = std::min(trace_.spans.end_ns(call), after.start_ns);
    if (Difference(after.start_ns, called) >
        std::max(kKernelWaitNs, Difference(called, gap_start))) {
      return IdleCause::kOther;
    }
    // A launch after the event's own start is an error of the clocks: the gap ends the wait.
    const Interval wait = {gap_start, std::min(launched, after.start_ns)};
    const ThreadWaits& waits = WaitsOf(trace_.spans.track[call]);
    const int64_t loading = waits.input.Within(wait);
    if (loading >= Difference(Difference(wait.end_ns, wait.start_ns), loading))
      return IdleCause::kInput;
    return waits.synchronisation.Has(gap_start) ? IdleCause::kSynchronisation
                                                : IdleCause::kHostWait;
  }

  // Found when first asked for: few threads launch.
  const ThreadWaits& WaitsOf(TrackId track) {
    if (last_waits_ != nullptr && last_track_ == track) return *last_waits_;
    auto at = waits_.find(track);
    if (at == waits_.end()) {
      IntervalSet input;
      IntervalSet synchronisation;
      UnionBuilder add_input(input);
      UnionBuilder add_synchronisation(synchronisation);
      const HostThread thread = ThreadOf(track);
      for (NodeId node = thread.first; node < thread.last; ++node) {
        const SpanRow row = context_.tree.span[node];
        if (trace_.spans.category[row] == Category::kRuntime) {
          if (Blocks(trace_.spans.name[row]))
            add_synchronisation.Add(trace_.spans.start_ns[row], trace_.spans.end_ns(row));
        } else if (context_.facts.Is(trace_.spans.name[row], NameFact::kDataLoaderRange)) {
          add_input.Add(trace_.spans.start_ns[row], trace_.spans.end_ns(row));
        }
      }
      at = waits_
               .emplace(track, ThreadWaits{IntervalCover(std::move(input)),
                                           IntervalCover(std::move(synchronisation))})
               .first;
    }
    last_track_ = track;
    last_waits_ = &at->second;
    return *last_waits_;
  }

  [[nodiscard]] HostThread ThreadOf(TrackId track) const {
    const std::vector<HostThread>& threads = context_.tree.threads;
    const auto at =
        std::lower_bound(threads.begin(), threads.end(), track,
                         [](const HostThread& thread, TrackId t) { return thread.track < t; });
    return at != threads.end() && at->track == track ? *at : HostThread{};
  }

  bool Blocks(StringId name) {
    uint8_t& known = blocking_[static_cast<uint32_t>(name)];
    if (known == kUnknown) known = WaitsForDevice(trace_.Text(name)) ? kBlocks : kReturns;
    return known == kBlocks;
  }

  static bool Longer(const Gap& a, const Gap& b) {
    const int64_t first = Difference(a.time.end_ns, a.time.start_ns);
    const int64_t second = Difference(b.time.end_ns, b.time.start_ns);
    return first != second ? first > second : a.time.start_ns < b.time.start_ns;
  }

  // A heap with the shortest of the longest on top.
  void Keep(const Gap& gap) {
    if (longest_.size() == kMostGaps) {
      if (!Longer(gap, longest_.front())) return;
      std::pop_heap(longest_.begin(), longest_.end(), Longer);
      longest_.pop_back();
    }
    longest_.push_back(gap);
    std::push_heap(longest_.begin(), longest_.end(), Longer);
  }

  void FinishGaps() {
    std::sort(longest_.begin(), longest_.end(), Longer);
    for (const Gap& gap : longest_) {
      const DeviceStream& key = streams_.keys[gap.stream];
      IdleGap row;
      row.device = key.device;
      if (key.stream != kNoInt) row.stream = key.stream;
      row.start_ns = gap.time.start_ns;
      AddTo(row.start_ns, trace_.base_time_ns);
      row.duration_ns = Difference(gap.time.end_ns, gap.time.start_ns);
      row.cause = gap.cause;
      row.before = trace_.NameOfSpan(gap.before);
      row.after = trace_.NameOfSpan(gap.after);
      if (gap.launch != kNoRow) SetHost(row, gap);
      report_.gaps.push_back(std::move(row));
    }
  }

  // The name with the most self time on the launching thread, in the gap and before the launch.
  void SetHost(IdleGap& row, const Gap& gap) const {
    const SpanTable& spans = trace_.spans;
    const SpanRow call = context_.tree.span[gap.launch];
    const Interval wait = {gap.time.start_ns, std::min(gap.time.end_ns, spans.start_ns[call])};
    if (wait.start_ns >= wait.end_ns) return;
    const HostThread thread = ThreadOf(spans.track[call]);
    const SpanRow* const begin = context_.tree.span.data() + thread.first;
    const SpanRow* const end = context_.tree.span.data() + thread.last;
    const SpanRow* at = std::lower_bound(
        begin, end, wait.start_ns,
        [&spans](SpanRow event, int64_t time) { return spans.start_ns[event] < time; });

    std::map<StringId, int64_t> self;
    const auto add = [&](NodeId node) {
      const SpanRow event = context_.tree.span[node];
      const Interval inside = {std::max(spans.start_ns[event], wait.start_ns),
                               std::min(spans.end_ns(event), wait.end_ns)};
      if (inside.start_ns >= inside.end_ns) return;
      const int64_t length = Difference(inside.end_ns, inside.start_ns);
      AddTo(self[spans.name[event]], length);
      const NodeId parent = context_.tree.parent[node];
      if (parent != kNoRow) SubtractFrom(self[spans.name[context_.tree.span[parent]]], length);
    };
    auto node = static_cast<NodeId>(at - context_.tree.span.data());
    // What was open when the gap began, then what began in it.
    for (NodeId open = node == thread.first ? kNoRow : node - 1; open != kNoRow;
         open = context_.tree.parent[open]) {
      add(open);
    }
    for (; node < thread.last && spans.start_ns[context_.tree.span[node]] < wait.end_ns; ++node)
      add(node);
    for (const auto& [name, time] : self) {
      if (context_.facts.Is(name, NameFact::kStep) || time <= row.host_ns.value_or(0)) continue;
      row.host = trace_.Text(name);
      row.host_ns = time;
    }
  }

  const TraceContext& context_;
  const Trace& trace_;
  DeviceStreams streams_;
  std::vector<uint8_t> blocking_;  // by StringId
  std::vector<Event> events_;
  std::map<TrackId, ThreadWaits> waits_;
  const ThreadWaits* last_waits_ = nullptr;
  TrackId last_track_ = {};
  std::vector<Gap> longest_;
  IdleReport report_;
};

}  // namespace

std::string_view NameOf(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHostWait:
      return "host_wait";
    case IdleCause::kSynchronisation:
      return "synchronisation";
    case IdleCause::kInput:
      return "input";
    case IdleCause::kKernelWait:
      return "kernel_wait";
    case IdleCause::kOther:
      break;
  }
  return "other";
}

IdleReport DescribeIdle(const TraceContext& context) { return Describer(context).Describe(); }

}  // namespace telltale
