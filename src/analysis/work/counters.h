// SPDX-License-Identifier: Apache-2.0
// What the devices did over time, as counters that a timeline can draw: utilization, estimated SM
// efficiency, the length of each stream's launch queue, and the bandwidth of copies. Values for a
// viewer, computed from the trace; counters that the capture itself holds are in Trace::counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/core/context.h"

namespace telltale {

// The value from this moment until the next point.
struct CounterPoint {
  int64_t time_ns = 0;  // as written in the trace
  double value = 0;
};

struct CounterSeries {
  std::string name;  // "GPU 0 Utilization", "GPU 0 Memcpy HtoD Bandwidth" …
  std::string unit;  // "share", "launches", "GB/s"
  int64_t device = 0;
  std::optional<int64_t> stream;     // of queue lengths, where the stream is captured
  std::vector<CounterPoint> points;  // in time order, no moment twice
};

// By device, and for each in this order:
// - "GPU n Utilization": the share of each bucket in which a kernel ran. The recorded window (the
//   trace's own "PyTorch Profiler (0)" span, else first start to last end of host and device
//   events) is cut into at most 100 buckets of 1, 10, 100 … us; what is left over belongs to the
//   last one. A point at the start of each bucket, and 0 at the end of the window.
// - "GPU n Est. SM Efficiency": min(1, sum of the blocks per SM of the kernels that run), where
//   captured.
// - "GPU n Queue Length", one series per stream: queue_length.h.
// - "GPU n Memcpy HtoD Bandwidth" …, "GPU n Memset Bandwidth": the sum over the copies of a
//   direction that run; each one's bandwidth as captured, else its bytes by its time.
[[nodiscard]] std::vector<CounterSeries> DeviceCounters(const TraceContext& context);

}  // namespace telltale
