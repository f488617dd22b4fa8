// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/unattributed.h"

#include "analysis/core/sums.h"
#include "base/cancel.h"
#include "base/column.h"

namespace telltale {

bool LaunchesGraph(std::string_view call) {
  return call.find("GraphLaunch") != std::string_view::npos;
}

UnattributedWork FindUnattributedWork(const Trace& trace, const HostTree& tree,
                                      const DeviceLinks& links) {
  UnattributedWork found;
  // By name, so that each text is looked at once: 1 launches no graph, 2 does.
  Column<uint8_t> known(trace.strings.size());
  NodeId last_launch = kNoRow;
  CancelCheck cancel;
  for (size_t i = 0; i < links.size(); ++i) {
    cancel.Tick();
    const int64_t duration = trace.spans.duration_ns[links.device[i]];
    AddTo(found.device_ns, duration);
    const NodeId launch = links.launch[i];
    if (launch == kNoRow) {
      if (found.no_launch_events++ == 0) found.no_launch = links.device[i];
      AddTo(found.no_launch_ns, duration);
      continue;
    }
    const SpanRow call = tree.span[launch];
    uint8_t& is = known[static_cast<size_t>(trace.spans.name[call])];
    if (is == 0) is = LaunchesGraph(trace.NameOfSpan(call)) ? 2 : 1;
    if (is == 1) continue;
    if (found.graph_events++ == 0) found.graph_launch = call;
    if (launch != last_launch) ++found.graph_launches;
    last_launch = launch;
    AddTo(found.graph_ns, duration);
  }
  return found;
}

}  // namespace telltale
