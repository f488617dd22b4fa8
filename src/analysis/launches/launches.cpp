// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches/launches.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/core/device_streams.h"
#include "analysis/core/key_numbers.h"
#include "analysis/core/runtime_calls.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "analysis/launches/queue_length.h"
#include "base/cancel.h"

namespace telltale {

namespace {

struct Started {
  NodeId launch;
  SpanRow row;
};

// One launching call and all that it started.
struct Launch {
  SpanRow call = kNoRow;
  uint64_t device_events = 0;
  int64_t device_ns = 0;
  int64_t first_start_ns = 0;
};

struct NamedLaunches {
  LaunchRow row;
  std::vector<int64_t> delays;
  bool graph = false;
};

// The smallest value that at least `percent` of 100 values do not exceed.
int64_t Percentile(std::span<const int64_t> sorted, size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

class Describer {
 public:
  explicit Describer(const TraceContext& context) : context_(context), trace_(context.trace) {}

  LaunchReport Describe() {
    Collect();
    for (size_t i = 0; i < started_.size();) {
      Launch launch;
      const NodeId node = started_[i].launch;
      launch.call = context_.tree.span[node];
      launch.first_start_ns = INT64_MAX;
      for (; i < started_.size() && started_[i].launch == node; ++i) {
        ++launch.device_events;
        AddTo(launch.device_ns, trace_.spans.duration_ns[started_[i].row]);
        launch.first_start_ns =
            std::min(launch.first_start_ns, trace_.spans.start_ns[started_[i].row]);
      }
      Add(launch);
    }
    Finish();
    AddQueues();
    return std::move(report_);
  }

 private:
  void Collect() {
    const DeviceLinks& links = context_.links;
    started_.reserve(links.size());
    CancelCheck cancel;
    for (size_t i = 0; i < links.size(); ++i) {
      cancel.Tick();
      if (links.launch[i] == kNoRow) {
        if (context_.selection.Everything()) ++report_.summary.launch_missing;
        continue;
      }
      if (!context_.selection.HasDeviceEvent(trace_, context_.tree, links, i)) continue;
      started_.push_back({links.launch[i], links.device[i]});
    }
    SortRuns(std::span(started_),
             [](const Started& a, const Started& b) { return a.launch < b.launch; });
  }

  void Add(const Launch& launch) {
    const StringId name = trace_.spans.name[launch.call];
    const uint32_t number = numbers_.Number(static_cast<uint32_t>(name));
    if (number == names_.size()) {
      names_.emplace_back();
      names_.back().row.name = trace_.Text(name);
      names_.back().row.first_event = launch.call;
      names_.back().graph = LaunchesGraph(trace_.Text(name));
    }
    NamedLaunches& named = names_[number];
    LaunchRow& row = named.row;
    row.first_event = std::min<uint64_t>(row.first_event, launch.call);
    const int64_t host_ns = trace_.spans.duration_ns[launch.call];
    ++row.calls;
    row.device_events += launch.device_events;
    AddTo(row.host_total_ns, host_ns);
    row.host_max_ns = std::max(row.host_max_ns, host_ns);
    AddTo(row.device_total_ns, launch.device_ns);
    if (launch.device_ns < host_ns) ++row.short_calls;
    named.delays.push_back(
        std::max<int64_t>(0, Difference(launch.first_start_ns, trace_.spans.end_ns(launch.call))));

    LaunchSummary& summary = report_.summary;
    ++summary.launches;
    summary.device_events += launch.device_events;
    AddTo(summary.host_total_ns, host_ns);
    if (launch.device_ns < host_ns) ++summary.short_launches;
    if (named.graph) {
      ++summary.graph_launches;
      summary.graph_device_events += launch.device_events;
    }
    starts_.push_back(trace_.spans.start_ns[launch.call]);
  }

  void Finish() {
    for (NamedLaunches& named : names_) {
      LaunchRow& row = named.row;
      const auto calls = static_cast<int64_t>(row.calls);
      row.host_mean_ns = Mean(row.host_total_ns, calls);
      std::sort(named.delays.begin(), named.delays.end());
      int64_t sum = 0;
      for (const int64_t delay : named.delays) AddTo(sum, delay);
      row.delay_mean_ns = Mean(sum, calls);
      row.delay_median_ns = Percentile(named.delays, 50);
      row.delay_p99_ns = Percentile(named.delays, 99);
      row.delay_max_ns = named.delays.back();
      report_.rows.push_back(std::move(row));
    }
    std::sort(report_.rows.begin(), report_.rows.end(), [](const LaunchRow& a, const LaunchRow& b) {
      if (a.host_total_ns != b.host_total_ns) return a.host_total_ns > b.host_total_ns;
      return std::tie(a.name, a.first_event) < std::tie(b.name, b.first_event);
    });
    SetRates();
  }

  void SetRates() {
    LaunchSummary& summary = report_.summary;
    if (summary.launches == 0) return;
    const Interval window = context_.steps.Window();
    const int64_t length = Difference(window.end_ns, window.start_ns);
    SortRuns(std::span(starts_), [](int64_t a, int64_t b) { return a < b; });
    const auto within = [this](const Interval& time) {
      return std::lower_bound(starts_.begin(), starts_.end(), time.end_ns) -
             std::lower_bound(starts_.begin(), starts_.end(), time.start_ns);
    };
    if (length > 0) {
      summary.launches_per_second =
          static_cast<double>(within(window)) * 1e9 / static_cast<double>(length);
    }
    if (context_.steps.source == StepSource::kWholeTrace) return;
    int64_t steps = 0;
    int64_t launches = 0;
    uint64_t events = 0;
    for (const Step& step : context_.steps.rows) {
      if (!step.complete || !step.selected) continue;
      ++steps;
      launches += within(step.host);
      events += step.device_events;
    }
    if (steps == 0) return;
    summary.launches_per_step = static_cast<double>(launches) / static_cast<double>(steps);
    summary.device_events_per_step = static_cast<double>(events) / static_cast<double>(steps);
  }

  void AddQueues() {
    const DeviceStreams streams = FindDeviceStreams(trace_, context_.links);
    const std::vector<StreamQueue> queues = QueueLengths(context_, streams);
    for (size_t i = 0; i < queues.size(); ++i) {
      if (queues[i].points.empty()) continue;
      QueueRow row;
      row.device = streams.keys[i].device;
      if (streams.keys[i].stream != kNoInt) row.stream = streams.keys[i].stream;
      row.launches = queues[i].launches;
      row.max_length = queues[i].largest;
      Summarise(queues[i].points, row);
      report_.queues.push_back(row);
    }
  }

  static void Summarise(std::span<const QueuePoint> points, QueueRow& row) {
    double area = 0;
    int64_t length = 0;
    for (size_t p = 0; p < points.size(); ++p) {
      length = points[p].length;
      if (p + 1 == points.size()) break;
      const int64_t time = Difference(points[p + 1].time_ns, points[p].time_ns);
      area += static_cast<double>(length) * static_cast<double>(time);
      if (length >= kFullQueue) AddTo(row.full_ns, time);
    }
    row.window_ns = Difference(points.back().time_ns, points.front().time_ns);
    if (row.window_ns > 0) row.mean_length = area / static_cast<double>(row.window_ns);
  }

  const TraceContext& context_;
  const Trace& trace_;
  std::vector<Started> started_;
  KeyNumbers numbers_;
  std::vector<NamedLaunches> names_;
  std::vector<int64_t> starts_;
  LaunchReport report_;
};

}  // namespace

LaunchReport DescribeLaunches(const TraceContext& context) { return Describer(context).Describe(); }

}  // namespace telltale
