// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/device_links.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/core/sort_runs.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// 0 stands for "none" in kineto, like an absent argument.
bool IsLink(uint64_t correlation) { return correlation != 0 && correlation != kNoUint; }

struct Call {
  uint64_t correlation;
  SpanRow row;
  NodeId node;
};

// Runtime and driver calls by correlation. Where several share one, the first in the file is the
// launch. Sorted rather than hashed: files choose these numbers, and they mostly come in order.
class Calls {
 public:
  Calls(const Trace& trace, const HostTree& tree) {
    for (NodeId node = 0; node < tree.size(); ++node) {
      const SpanRow row = tree.span[node];
      const RuntimeDetail* detail = trace.RuntimeOf(row);
      if (detail != nullptr && IsLink(detail->correlation)) {
        calls_.push_back({detail->correlation, row, node});
      }
    }
    SortRuns(std::span(calls_), [](const Call& a, const Call& b) {
      return std::tie(a.correlation, a.row) < std::tie(b.correlation, b.row);
    });
  }

  // Device events mostly come in the order of their launches, so the search starts at the last hit
  // and doubles its stride.
  [[nodiscard]] NodeId Find(uint64_t correlation) {
    auto before = [](const Call& call, uint64_t wanted) { return call.correlation < wanted; };
    size_t low = 0;
    size_t high = std::min(last_hit_ + 1, calls_.size());
    for (size_t stride = 1; high < calls_.size() && calls_[high - 1].correlation < correlation;
         stride *= 2) {
      low = high;
      high = std::min(high + stride, calls_.size());
    }
    const auto first = calls_.begin();
    const auto at =
        std::lower_bound(first + static_cast<std::ptrdiff_t>(low),
                         first + static_cast<std::ptrdiff_t>(high), correlation, before);
    if (at == calls_.end() || at->correlation != correlation) return kNoRow;
    last_hit_ = static_cast<size_t>(at - first);
    return at->node;
  }

 private:
  std::vector<Call> calls_;
  size_t last_hit_ = 0;
};

}  // namespace

DeviceLinks LinkDeviceEvents(const Trace& trace, const HostTree& tree, Diagnostics& diagnostics) {
  DeviceLinks links;
  CancelCheck cancel;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    cancel.Tick();
    if (IsDevice(trace.spans.category[row])) links.device.push_back(static_cast<SpanRow>(row));
  }
  if (links.size() == 0) return links;

  Calls calls(trace, tree);
  const Column<NodeId> enclosing = EnclosingOperators(trace, tree);
  NodeId* const launch = links.launch.extend(links.size());
  NodeId* const owner = links.owner.extend(links.size());
  uint64_t missing = 0;
  std::optional<uint64_t> first_missing;
  for (size_t i = 0; i < links.size(); ++i) {
    cancel.Tick();
    const DeviceDetail* detail = trace.DeviceOf(links.device[i]);
    const bool linked = detail != nullptr && IsLink(detail->correlation);
    launch[i] = linked ? calls.Find(detail->correlation) : kNoRow;
    owner[i] = launch[i] == kNoRow ? kNoRow : enclosing[launch[i]];
    if (launch[i] == kNoRow && missing++ == 0) first_missing = trace.spans.offset[links.device[i]];
  }
  diagnostics.Add(DiagnosticKind::kLaunchMissing, first_missing, missing);
  return links;
}

}  // namespace telltale
