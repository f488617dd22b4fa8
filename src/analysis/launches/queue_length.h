// SPDX-License-Identifier: Apache-2.0
// How many launches wait on each stream at any moment. A launch enters the queue of a stream when
// its host call begins and leaves it when the first device event that it started on that stream
// begins; so a graph of a thousand kernels is one entry. Device events whose launch is not in the
// trace do not count. Where clocks disagree and a device event begins before its launch, the launch
// leaves as it enters: a queue is never shorter than 0. At one moment launches enter before others
// leave, which only the largest length shows: a queue has its length from a moment on after all
// changes of the moment.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/device_streams.h"

namespace telltale {

// From this moment until the next point.
struct QueuePoint {
  int64_t time_ns = 0;  // as written in the trace
  int64_t length = 0;
};

struct StreamQueue {
  uint64_t launches = 0;
  int64_t largest = 0;
  std::vector<QueuePoint> points;  // in time order, one per moment at which a launch comes or goes
};

// One per stream of `streams`, with the launches of the selected steps.
[[nodiscard]] std::vector<StreamQueue> QueueLengths(const TraceContext& context,
                                                    const DeviceStreams& streams);

}  // namespace telltale
