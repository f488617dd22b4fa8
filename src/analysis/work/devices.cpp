// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/devices.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/core/intervals.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// A kernel's part inside the window.
struct Running {
  Interval time;
  double blocks_per_sm;  // at most 1: a kernel alone cannot use more than the whole device
};

struct Device {
  int64_t id = 0;
  uint64_t kernels = 0;
  int64_t kernel_ns = 0;
  int64_t tensor_core_ns = 0;
  bool has_blocks = false;
  double occupancy_weighted = 0;  // percent times ns
  int64_t occupancy_weight_ns = 0;
  std::vector<Running> running;
};

void AddKernel(Device& device, const Trace& trace, const NameFacts& facts, SpanRow row,
               const DeviceDetail& detail, const Interval& window) {
  const int64_t duration = trace.spans.duration_ns[row];
  ++device.kernels;
  AddTo(device.kernel_ns, duration);
  if (facts.Is(trace.spans.name[row], NameFact::kTensorCoreKernel))
    AddTo(device.tensor_core_ns, duration);
  const bool has_blocks = detail.blocks_per_sm >= 0;
  device.has_blocks |= has_blocks;

  const Interval inside = {std::max(trace.spans.start_ns[row], window.start_ns),
                           std::min(trace.spans.end_ns(row), window.end_ns)};
  if (inside.start_ns >= inside.end_ns) return;
  device.running.push_back({inside, has_blocks ? std::min(1.0, detail.blocks_per_sm) : 0.0});
  if (detail.occupancy_percent >= 0) {
    const int64_t weight = Difference(inside.end_ns, inside.start_ns);
    device.occupancy_weighted += detail.occupancy_percent * static_cast<double>(weight);
    AddTo(device.occupancy_weight_ns, weight);
  }
}

std::vector<Device> DevicesById(const Trace& trace, const HostTree& tree, const DeviceLinks& links,
                                const Selection& selection) {
  std::vector<int64_t> ids;
  CancelCheck cancel;
  for (size_t i = 0; i < links.size(); ++i) {
    cancel.Tick();
    const DeviceDetail* detail = trace.DeviceOf(links.device[i]);
    if (detail == nullptr || detail->device == kNoInt) continue;
    if (!ids.empty() && ids.back() == detail->device) continue;
    if (selection.HasDeviceEvent(trace, tree, links, i)) ids.push_back(detail->device);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<Device> devices(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) devices[i].id = ids[i];
  return devices;
}

// The integral over time of min(1, sum of the blocks per SM of the kernels running then), in ns.
// `running` is sorted by start. Adding a value that was capped at 1 alone changes nothing: the sum
// is capped anyway.
double BusyMultiprocessors(const std::vector<Running>& running) {
  std::vector<std::pair<int64_t, double>> ends;
  ends.reserve(running.size());
  for (const Running& kernel : running) ends.emplace_back(kernel.time.end_ns, kernel.blocks_per_sm);
  SortRuns(std::span(ends), [](const auto& a, const auto& b) { return a.first < b.first; });

  double integral = 0;
  double blocks = 0;
  int64_t now = 0;
  size_t started = 0;
  for (size_t ended = 0; ended < ends.size();) {
    const bool start =
        started < running.size() && running[started].time.start_ns < ends[ended].first;
    const int64_t next = start ? running[started].time.start_ns : ends[ended].first;
    if (started > ended) integral += std::min(1.0, blocks) * static_cast<double>(next - now);
    now = next;
    if (start) {
      blocks += running[started++].blocks_per_sm;
    } else {
      blocks -= ends[ended++].second;
    }
    if (started == ended) blocks = 0;  // nothing runs: rounding errors end here
  }
  return integral;
}

int64_t BusyTime(const std::vector<Running>& running) {
  IntervalSet busy;
  UnionBuilder builder(busy);
  for (const Running& kernel : running) builder.Add(kernel.time.start_ns, kernel.time.end_ns);
  return TotalLength(busy);
}

bool HasCategory(const Trace& trace, std::string_view lower_prefix) {
  return std::any_of(
      trace.categories.begin(), trace.categories.end(), [&](const CategoryEntry& entry) {
        const std::string_view text = trace.Text(entry.text);
        return text.size() >= lower_prefix.size() &&
               std::equal(
                   lower_prefix.begin(), lower_prefix.end(), text.begin(),
                   [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
      });
}

bool HasDeviceNamed(const Trace& trace, std::span<const std::string_view> words) {
  return std::any_of(trace.devices.begin(), trace.devices.end(),
                     [&](const DeviceProperties& device) {
                       return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
                         return device.name.find(word) != std::string::npos;
                       });
                     });
}

bool HasMetadata(const Trace& trace, std::string_view key_prefix) {
  return std::any_of(trace.metadata.begin(), trace.metadata.end(),
                     [&](const auto& entry) { return entry.first.starts_with(key_prefix); });
}

// HIP is asked first: its traces use the category cuda_runtime too.
std::string_view TypeOfDevices(const Trace& trace, const NameFacts& facts) {
  static constexpr std::array<std::string_view, 3> kAmd = {"AMD", "Radeon", "Instinct"};
  static constexpr std::array<std::string_view, 4> kNvidia = {"NVIDIA", "Tesla", "GeForce",
                                                              "Quadro"};
  if (facts.hip_calls || HasMetadata(trace, "hip_") || HasMetadata(trace, "roctracer") ||
      HasDeviceNamed(trace, kAmd)) {
    return "hip";
  }
  if (HasCategory(trace, "mtia")) return "mtia";
  if (HasCategory(trace, "xpu")) return "xpu";
  if (facts.cuda_calls || HasCategory(trace, "cuda_runtime") || HasCategory(trace, "cuda_driver") ||
      HasDeviceNamed(trace, kNvidia)) {
    return "cuda";
  }
  return "other";
}

const DeviceProperties* PropertiesOf(const Trace& trace, int64_t id) {
  for (const DeviceProperties& device : trace.devices) {
    if (device.id == id) return &device;
  }
  // Seen on machines with several devices of which the capture describes only its own, as number 0.
  return trace.devices.size() == 1 ? &trace.devices.front() : nullptr;
}

double Share(double part, int64_t whole) { return part / static_cast<double>(whole); }

DeviceRow RowOf(const Trace& trace, Device& device, std::string_view type, const Interval& window) {
  SortRuns(std::span(device.running),
           [](const Running& a, const Running& b) { return a.time.start_ns < b.time.start_ns; });
  DeviceRow row;
  row.id = device.id;
  row.type = type;
  row.kernel_count = device.kernels;
  if (const DeviceProperties* properties = PropertiesOf(trace, device.id)) {
    row.name = properties->name;
    row.has_name = true;
    if (properties->memory_bytes != kNoInt) row.memory_bytes = properties->memory_bytes;
    if (properties->compute_major != kNoInt && properties->compute_minor != kNoInt) {
      row.compute_capability = std::to_string(properties->compute_major) + "." +
                               std::to_string(properties->compute_minor);
    }
  }
  if (window.end_ns > window.start_ns) {
    const int64_t length = Difference(window.end_ns, window.start_ns);
    row.utilization_share = Share(static_cast<double>(BusyTime(device.running)), length);
    if (device.has_blocks)
      row.sm_efficiency_share = Share(BusyMultiprocessors(device.running), length);
  }
  if (device.occupancy_weight_ns > 0) {
    row.achieved_occupancy_share =
        Share(device.occupancy_weighted, device.occupancy_weight_ns) / 100;
  }
  if (device.kernel_ns > 0) {
    row.tensor_core_share = Share(static_cast<double>(device.tensor_core_ns), device.kernel_ns);
  }
  return row;
}

}  // namespace

std::vector<DeviceRow> DescribeDevices(const Trace& trace, const HostTree& tree,
                                       const DeviceLinks& links, const NameFacts& facts,
                                       const Steps& steps) {
  const Interval window = steps.Window();
  const Selection selection(steps);
  std::vector<Device> devices = DevicesById(trace, tree, links, selection);
  Device* current = nullptr;  // most events are on the same device as the one before
  for (size_t i = 0; i < links.size(); ++i) {
    const SpanRow row = links.device[i];
    if (trace.spans.category[row] != Category::kKernel) continue;
    const DeviceDetail* detail = trace.DeviceOf(row);
    if (detail == nullptr || detail->device == kNoInt) continue;
    if (!selection.HasDeviceEvent(trace, tree, links, i)) continue;
    if (current == nullptr || current->id != detail->device) {
      current = &*std::lower_bound(devices.begin(), devices.end(), detail->device,
                                   [](const Device& device, int64_t id) { return device.id < id; });
    }
    AddKernel(*current, trace, facts, row, *detail, window);
  }
  const std::string_view type = TypeOfDevices(trace, facts);
  std::vector<DeviceRow> rows;
  for (Device& device : devices) rows.push_back(RowOf(trace, device, type, window));
  return rows;
}

}  // namespace telltale
