// SPDX-License-Identifier: Apache-2.0
// Device work of which the capture does not say which operator it is: launched as part of a graph,
// all of it by one call, or by a call that is not in the trace.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "model/trace.h"

namespace telltale {

struct UnattributedWork {
  int64_t device_ns = 0;  // all device work
  int64_t graph_ns = 0;   // launched by graphs
  uint64_t graph_events = 0;
  uint64_t graph_launches = 0;
  SpanRow graph_launch = kNoRow;  // the first
  int64_t no_launch_ns = 0;       // without a launch
  uint64_t no_launch_events = 0;
  SpanRow no_launch = kNoRow;  // the first

  [[nodiscard]] double GraphShare() const { return ShareOf(graph_ns); }
  [[nodiscard]] double NoLaunchShare() const { return ShareOf(no_launch_ns); }

 private:
  [[nodiscard]] double ShareOf(int64_t ns) const {
    return device_ns <= 0 ? 0 : static_cast<double>(ns) / static_cast<double>(device_ns);
  }
};

// "cudaGraphLaunch", "hipGraphLaunch", "cuGraphLaunch".
[[nodiscard]] bool LaunchesGraph(std::string_view call);

[[nodiscard]] UnattributedWork FindUnattributedWork(const Trace& trace, const HostTree& tree,
                                                    const DeviceLinks& links);

}  // namespace telltale
