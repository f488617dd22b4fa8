// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "analysis/core/device_streams.h"
#include "analysis/core/intervals.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "analysis/launches/queue_length.h"
#include "analysis/work/copies.h"

namespace telltale {

namespace {

constexpr int64_t kMostBuckets = 100;
constexpr int64_t kFirstBucketNs = 1000;

// Something that holds for a while: a kernel's load or a copy's bandwidth.
struct Level {
  Interval time;
  double value;
};

struct DeviceLoad {
  IntervalSet kernels;
  std::vector<Level> blocks_per_sm;
  std::map<std::string, std::vector<Level>, std::less<>> bandwidth;  // by kind of copy
};

Interval RecordedWindow(const Trace& trace) {
  bool found = false;
  Interval window;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    const Category category = trace.spans.category[row];
    if (category == Category::kTraceSpan && trace.NameOfSpan(row) == "PyTorch Profiler (0)") {
      return {trace.spans.start_ns[row], trace.spans.end_ns(row)};
    }
    if (!IsHost(category) && !IsDevice(category)) continue;
    const Interval span = {trace.spans.start_ns[row], trace.spans.end_ns(row)};
    window = found ? Interval{std::min(window.start_ns, span.start_ns),
                              std::max(window.end_ns, span.end_ns)}
                   : span;
    found = true;
  }
  return window;
}

int64_t BucketSize(int64_t length_ns) {
  int64_t size = kFirstBucketNs;
  while (length_ns / size > kMostBuckets ||
         (length_ns / size == kMostBuckets && length_ns % size != 0)) {
    size *= 10;
  }
  return size;
}

// `busy` is a set.
std::vector<CounterPoint> Utilization(std::span<const Interval> busy, const Interval& window) {
  const int64_t length = Difference(window.end_ns, window.start_ns);
  if (window.end_ns <= window.start_ns || length <= 0) return {};
  const int64_t size = BucketSize(length);
  const int64_t count = std::max<int64_t>(1, length / size);
  std::vector<CounterPoint> points;
  auto next = busy.begin();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start = window.start_ns + i * size;
    const int64_t end = i + 1 < count ? start + size : window.end_ns;
    int64_t covered = 0;
    while (next != busy.end() && next->end_ns <= start) ++next;
    for (auto at = next; at != busy.end() && at->start_ns < end; ++at) {
      covered += std::min(at->end_ns, end) - std::max(at->start_ns, start);
    }
    points.push_back({start, static_cast<double>(covered) / static_cast<double>(end - start)});
  }
  points.push_back({window.end_ns, 0});
  return points;
}

// The sum of the levels over time, capped, as steps.
std::vector<CounterPoint> SumOf(std::vector<Level>& levels, double cap) {
  struct Change {
    int64_t time_ns;
    double value;
    int count;
  };
  std::vector<Change> changes;
  changes.reserve(levels.size() * 2);
  for (const Level& level : levels) changes.push_back({level.time.start_ns, level.value, 1});
  for (const Level& level : levels) changes.push_back({level.time.end_ns, -level.value, -1});
  SortRuns(std::span(changes),
           [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  std::vector<CounterPoint> points;
  double sum = 0;
  int64_t running = 0;
  for (size_t i = 0; i < changes.size();) {
    const int64_t now = changes[i].time_ns;
    for (; i < changes.size() && changes[i].time_ns == now; ++i) {
      sum += changes[i].value;
      running += changes[i].count;
    }
    if (running == 0) sum = 0;  // nothing is left: rounding errors end here
    const double value = std::min(sum, cap);
    if (points.empty() || points.back().value != value) points.push_back({now, value});
  }
  return points;
}

std::optional<double> Bandwidth(const DeviceDetail& detail, int64_t duration_ns) {
  if (detail.bandwidth_gb_per_s >= 0) return detail.bandwidth_gb_per_s;
  if (detail.bytes == kNoInt || duration_ns <= 0) return std::nullopt;
  return static_cast<double>(detail.bytes) / static_cast<double>(duration_ns);
}

void AddEvent(DeviceLoad& load, const Trace& trace, SpanRow row, const DeviceDetail& detail) {
  const Interval time = {trace.spans.start_ns[row], trace.spans.end_ns(row)};
  if (time.start_ns >= time.end_ns) return;
  if (trace.spans.category[row] == Category::kKernel) {
    load.kernels.push_back(time);
    if (detail.blocks_per_sm > 0) load.blocks_per_sm.push_back({time, detail.blocks_per_sm});
    return;
  }
  const std::optional<double> bandwidth = Bandwidth(detail, trace.spans.duration_ns[row]);
  if (!bandwidth || !std::isfinite(*bandwidth)) return;
  const bool is_set = trace.spans.category[row] == Category::kMemset;
  const std::string kind =
      is_set ? "Memset" : fmt::format("Memcpy {}", CopyDirection(trace.NameOfSpan(row)));
  load.bandwidth[kind].push_back({time, *bandwidth});
}

}  // namespace

std::vector<CounterSeries> DeviceCounters(const TraceContext& context) {
  const Trace& trace = context.trace;
  const DeviceStreams streams = FindDeviceStreams(trace, context.links);
  if (streams.keys.empty()) return {};
  std::map<int64_t, DeviceLoad> devices;
  std::vector<DeviceLoad*> of_stream;  // ascending by device, as the streams are
  of_stream.reserve(streams.keys.size());
  for (const DeviceStream& key : streams.keys) of_stream.push_back(&devices[key.device]);
  for (size_t i = 0; i < context.links.size(); ++i) {
    if (streams.of_event[i] == kNoRow) continue;
    const SpanRow row = context.links.device[i];
    AddEvent(*of_stream[streams.of_event[i]], trace, row, *trace.DeviceOf(row));
  }
  const Interval window = RecordedWindow(trace);
  const std::vector<StreamQueue> queues = QueueLengths(context, streams);

  std::vector<CounterSeries> series;
  const auto add = [&](std::string name, std::string_view unit, int64_t device,
                       std::optional<int64_t> stream, std::vector<CounterPoint> points) {
    if (points.empty()) return;
    series.push_back({std::move(name), std::string(unit), device, stream, std::move(points)});
  };
  size_t s = 0;
  for (auto& [device, load] : devices) {
    if (!load.kernels.empty()) {
      add(fmt::format("GPU {} Utilization", device), "share", device, std::nullopt,
          Utilization(Union(std::move(load.kernels)), window));
    }
    add(fmt::format("GPU {} Est. SM Efficiency", device), "share", device, std::nullopt,
        SumOf(load.blocks_per_sm, 1));
    for (; s < streams.keys.size() && streams.keys[s].device == device; ++s) {
      std::vector<CounterPoint> points;
      points.reserve(queues[s].points.size());
      for (const QueuePoint& point : queues[s].points)
        points.push_back({point.time_ns, static_cast<double>(point.length)});
      const int64_t stream = streams.keys[s].stream;
      add(fmt::format("GPU {} Queue Length", device), "launches", device,
          stream == kNoInt ? std::nullopt : std::optional(stream), std::move(points));
    }
    for (auto& [kind, levels] : load.bandwidth) {
      add(fmt::format("GPU {} {} Bandwidth", device, kind), "GB/s", device, std::nullopt,
          SumOf(levels, HUGE_VAL));
    }
  }
  return series;
}

}  // namespace telltale
