// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/memory.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "analysis/memory/allocations.h"
#include "analysis/memory/curve.h"
#include "analysis/memory/events.h"
#include "analysis/memory/leaks.h"
#include "analysis/memory/operators.h"
#include "analysis/memory/owners.h"
#include "base/cancel.h"

namespace telltale {

namespace {

void DescribePlace(const Trace& trace, MemoryPlace place, DeviceMemory& device) {
  device.type = MemoryTypeName(place.type);
  if (place.id >= 0) device.id = place.id;
  if (place.type == 0) return;
  for (const DeviceProperties& properties : trace.devices) {
    if (properties.id != place.id) continue;
    device.name = properties.name;
    if (properties.memory_bytes != kNoInt) device.total_bytes = properties.memory_bytes;
  }
}

// Peaks and the reduced curve; times become absolute.
void DescribeCurve(const TraceContext& context, const MemoryCurve& curve,
                   std::optional<size_t> peak, DeviceMemory& device) {
  device.relative = curve.relative;
  device.point_count = curve.points.size();
  for (const MemoryPoint& point : curve.points) {
    if (!point.reserved_bytes) continue;
    const int64_t fragmentation = Difference(*point.reserved_bytes, point.allocated_bytes);
    device.peak_reserved_bytes = std::max(device.peak_reserved_bytes, point.reserved_bytes);
    device.fragmentation_max_bytes =
        std::max(device.fragmentation_max_bytes, std::optional(fragmentation));
  }
  if (peak) {
    const MemoryPoint& point = curve.points[*peak];
    device.peak_allocated_bytes = point.allocated_bytes;
    device.peak_ns = point.time_ns;
    AddTo(*device.peak_ns, context.trace.base_time_ns);
    if (point.reserved_bytes) {
      device.fragmentation_at_peak_bytes = Difference(*point.reserved_bytes, point.allocated_bytes);
    }
    if (context.steps.source != StepSource::kWholeTrace) {
      if (const auto step = StepIndexAt(context.steps, point.time_ns))
        device.peak_step = StepName(context.trace, context.steps, context.steps.rows[*step]);
    }
  }
  device.curve = ReduceCurve(curve.points);
  for (MemoryPoint& point : device.curve) AddTo(point.time_ns, context.trace.base_time_ns);
}

int64_t TimeOf(const AllocationRow& row) {
  return row.allocated_ns ? *row.allocated_ns : row.released_ns.value_or(0);
}

// One device after the other; the parts of the report that they share.
class MemoryDescriber {
 public:
  explicit MemoryDescriber(const TraceContext& context)
      : context_(context),
        owners_(FindMemoryOwners(context.trace, context.tree, context.facts)),
        operators_(context, owners_),
        block_rows_(context, owners_, report_.texts),
        leak_steps_(LeakSteps(context.steps)) {}

  void Add(const PlaceInstants& place);
  [[nodiscard]] MemoryReport Take();

 private:
  [[nodiscard]] bool Selected(uint32_t instant) const {
    return context_.selection.HasHostTime(context_.trace.memory.time_ns[instant]);
  }
  // Counts the blocks and keeps the rows of those in the selected time.
  void AddBlocks(const PlaceInstants& place, const MemoryBlocks& pairs,
                 const std::vector<AllocationRow>& rows, DeviceMemory& device);

  const TraceContext& context_;
  MemoryReport report_;
  MemoryOwners owners_;
  OperatorMemory operators_;
  BlockRows block_rows_;
  std::vector<uint32_t> leak_steps_;
  bool any_paired_ = false;
};

void MemoryDescriber::Add(const PlaceInstants& place) {
  const Trace& trace = context_.trace;
  DeviceMemory device;
  DescribePlace(trace, place.place, device);
  device.operators = operators_.Describe(place);
  CancelCheck cancel;
  for (const uint32_t row : place.rows) {
    cancel.Tick();
    if (!Selected(row)) continue;
    device.allocation_count += trace.memory.bytes[row] > 0 ? 1U : 0U;
    device.release_count += trace.memory.bytes[row] < 0 ? 1U : 0U;
  }

  MemoryCurve curve = CurveOf(trace, place, context_.selection);
  const std::optional<size_t> peak = PeakOf(curve.points);
  const uint32_t peak_position = peak ? curve.positions[*peak] : kNoRow;
  DescribeCurve(context_, curve, peak, device);

  const MemoryBlocks pairs = PairInstants(trace, place);
  std::vector<AllocationRow> rows;
  rows.reserve(pairs.blocks.size());
  for (const MemoryBlock& block : pairs.blocks) {
    rows.push_back(block_rows_.Row(place, block));
    rows.back().device = static_cast<uint32_t>(report_.devices.size());
  }
  if (pairs.paired && peak) {
    device.at_peak = DescribeAlive(pairs.blocks, rows, report_.texts, peak_position);
    if (!device.relative) {
      device.at_peak->before_bytes =
          Difference(device.peak_allocated_bytes, device.at_peak->known_bytes);
    }
  }
  AddBlocks(place, pairs, rows, device);
  report_.devices.push_back(std::move(device));
}

void MemoryDescriber::AddBlocks(const PlaceInstants& place, const MemoryBlocks& pairs,
                                const std::vector<AllocationRow>& rows, DeviceMemory& device) {
  uint64_t from_before = 0;
  uint64_t never_released = 0;
  std::vector<Survivor> survivors;
  CancelCheck cancel;
  for (size_t i = 0; i < rows.size(); ++i) {
    cancel.Tick();
    const MemoryBlock& block = pairs.blocks[i];
    const bool recorded = block.allocated != kNoRow;
    const uint32_t instant = place.rows[recorded ? block.allocated : block.released];
    if (!Selected(instant)) continue;
    report_.allocations.push_back(rows[i]);
    if (!recorded) ++from_before;
    if (block.released != kNoRow) continue;
    ++never_released;
    const auto step = StepIndexAt(context_.steps, context_.trace.memory.time_ns[instant]);
    if (step) survivors.push_back({&rows[i], static_cast<uint32_t>(*step)});
  }
  if (!pairs.paired) return;
  any_paired_ = true;
  device.released_from_before_count = from_before;
  device.never_released_count = never_released;
  if (leak_steps_.empty()) return;
  for (LeakRow& leak : FindLeaks(survivors, leak_steps_, report_.texts))
    report_.leaks.push_back(std::move(leak));
}

MemoryReport MemoryDescriber::Take() {
  if (any_paired_ && !leak_steps_.empty()) report_.leak_steps = leak_steps_.size();
  std::stable_sort(report_.leaks.begin(), report_.leaks.end(),
                   [](const LeakRow& a, const LeakRow& b) { return a.bytes > b.bytes; });
  // Each device's rows are in order already.
  SortRuns(std::span(report_.allocations),
           [](const AllocationRow& a, const AllocationRow& b) { return TimeOf(a) < TimeOf(b); });
  return std::move(report_);
}

}  // namespace

MemoryReport DescribeMemory(const TraceContext& context) {
  if (context.trace.memory.size() == 0) return {};
  const InstantsByPlace instants = GatherInstantsByPlace(context.trace);
  MemoryDescriber describer(context);
  for (const PlaceInstants& place : instants.places) describer.Add(place);
  MemoryReport report = describer.Take();
  report.left_out = instants.left_out;
  return report;
}

}  // namespace telltale
