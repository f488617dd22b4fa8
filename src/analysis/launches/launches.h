// SPDX-License-Identifier: Apache-2.0
// What it costs the host to give the devices work, and how far ahead of them it is: the calls that
// launch kernels, copies and graphs, the delay until the work begins, and the queues in between.
// docs/analyses/launches.md has the exact definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/core/context.h"

namespace telltale {

// A stream takes about this many launches before a further one blocks its caller.
constexpr int64_t kFullQueue = 1024;

// The calls of one name that started device events.
struct LaunchRow {
  uint32_t file = 0;
  std::string name;
  uint64_t calls = 0;
  uint64_t device_events = 0;  // a graph's launch starts many
  int64_t host_total_ns = 0;
  int64_t host_mean_ns = 0;
  int64_t host_max_ns = 0;
  int64_t device_total_ns = 0;
  // From the call's end to the start of its first device event, not below 0.
  int64_t delay_mean_ns = 0;
  int64_t delay_median_ns = 0;
  int64_t delay_p99_ns = 0;
  int64_t delay_max_ns = 0;
  uint64_t short_calls = 0;  // whose device events together are shorter than the call itself
  uint64_t first_event = 0;
};

struct QueueRow {
  uint32_t file = 0;
  int64_t device = 0;
  std::optional<int64_t> stream;
  uint64_t launches = 0;
  int64_t max_length = 0;
  double mean_length = 0;  // over time, from the first launch to the last start
  int64_t window_ns = 0;   // that time
  int64_t full_ns = 0;     // with at least kFullQueue
};

// All of one file.
struct LaunchSummary {
  uint32_t file = 0;
  uint64_t launches = 0;
  uint64_t device_events = 0;   // started by them
  uint64_t launch_missing = 0;  // device events whose launch is not in the trace
  uint64_t graph_launches = 0;
  uint64_t graph_device_events = 0;
  uint64_t short_launches = 0;
  int64_t host_total_ns = 0;
  // Per complete step; none without steps.
  std::optional<double> launches_per_step;
  std::optional<double> device_events_per_step;
  std::optional<double> launches_per_second;  // over the steps' window
};

struct LaunchReport {
  LaunchSummary summary;
  std::vector<LaunchRow> rows;   // by host time
  std::vector<QueueRow> queues;  // by device and stream
};

[[nodiscard]] LaunchReport DescribeLaunches(const TraceContext& context);

}  // namespace telltale
