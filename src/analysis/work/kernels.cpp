// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/kernels.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// The operator that all kernels of a row come from; a kernel without one is like one of another.
class CommonOperator {
 public:
  void Add(StringId name) {
    if (!name_) name_ = name;
    if (*name_ != name) name_ = kNoString;
  }
  [[nodiscard]] StringId name() const { return name_.value_or(kNoString); }

 private:
  std::optional<StringId> name_;
};

struct Group {
  KernelRow sums;
  SpanRow first = 0;
  CommonOperator op;
};

StringId OperatorName(const Trace& trace, const HostTree& tree, NodeId owner) {
  return owner == kNoRow ? kNoString : trace.spans.name[tree.span[owner]];
}

uint64_t Join(uint64_t high, uint64_t low) { return high << 32 | (low & 0xffffffffU); }

// Numbers launch configurations, two fields at a time, so that every key stays in 64 bits.
class ConfigurationNumbers {
 public:
  uint32_t Number(const DeviceDetail& detail) {
    const uint32_t grid = Triple(detail.grid);
    const uint32_t block = Triple(detail.block);
    const uint32_t shape = pairs_.Number(Join(grid, block));
    const uint32_t memory = memory_.Number(static_cast<uint64_t>(detail.shared_memory_bytes));
    const uint32_t resources =
        resources_.Number(Join(memory, static_cast<uint32_t>(detail.registers_per_thread)));
    return all_.Number(Join(shape, resources));
  }

 private:
  uint32_t Triple(const uint32_t (&sizes)[3]) {
    return triples_.Number(Join(plane_.Number(Join(sizes[0], sizes[1])), sizes[2]));
  }

  KeyNumbers plane_, triples_, pairs_, memory_, resources_, all_;
};

void AddKernel(KernelRow& row, int64_t duration, const DeviceDetail* detail) {
  row.min_ns = row.calls == 0 ? duration : std::min(row.min_ns, duration);
  row.max_ns = row.calls == 0 ? duration : std::max(row.max_ns, duration);
  ++row.calls;
  AddTo(row.total_ns, duration);
  if (detail == nullptr) return;
  if (detail->blocks_per_sm >= 0) {
    row.blocks_weighted += detail->blocks_per_sm * static_cast<double>(duration);
    AddTo(row.blocks_weight_ns, duration);
  }
  if (detail->occupancy_percent >= 0) {
    row.occupancy_weighted += detail->occupancy_percent * static_cast<double>(duration);
    AddTo(row.occupancy_weight_ns, duration);
  }
}

std::optional<std::string> SizesText(const uint32_t (&sizes)[3]) {
  if (sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0) return std::nullopt;
  return "[" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
         std::to_string(sizes[2]) + "]";
}

void SetConfiguration(KernelRow& row, const DeviceDetail* detail) {
  if (detail == nullptr) return;
  row.grid = SizesText(detail->grid);
  row.block = SizesText(detail->block);
  if (detail->registers_per_thread >= 0) row.registers_per_thread = detail->registers_per_thread;
  if (detail->shared_memory_bytes >= 0) row.shared_memory_bytes = detail->shared_memory_bytes;
}

}  // namespace

void SetMeans(KernelRow& row) {
  row.mean_ns = Mean(row.total_ns, static_cast<int64_t>(row.calls));
  row.mean_blocks_per_sm.reset();
  row.mean_achieved_occupancy_share.reset();
  if (row.blocks_weight_ns > 0) {
    row.mean_blocks_per_sm = row.blocks_weighted / static_cast<double>(row.blocks_weight_ns);
  }
  if (row.occupancy_weight_ns > 0) {
    row.mean_achieved_occupancy_share =
        row.occupancy_weighted / static_cast<double>(row.occupancy_weight_ns) / 100;
  }
}

void SortKernels(std::vector<KernelRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return std::tie(a.name, a.first_event) < std::tie(b.name, b.first_event);
  });
}

std::vector<KernelRow> DescribeKernels(const Trace& trace, const HostTree& tree,
                                       const DeviceLinks& links, const NameFacts& facts,
                                       const Selection& selection, KernelGrouping grouping) {
  const bool by_launch = grouping == KernelGrouping::kLaunch;
  const DeviceDetail no_detail;
  KeyNumbers names_and_operators;
  KeyNumbers numbers;
  ConfigurationNumbers configurations;
  std::vector<Group> groups;
  CancelCheck cancel;
  for (size_t i = 0; i < links.size(); ++i) {
    cancel.Tick();
    const SpanRow row = links.device[i];
    if (trace.spans.category[row] != Category::kKernel) continue;
    if (!selection.HasDeviceEvent(trace, tree, links, i)) continue;
    const auto name = static_cast<uint32_t>(trace.spans.name[row]);
    const StringId op = OperatorName(trace, tree, links.owner[i]);
    const DeviceDetail* detail = trace.DeviceOf(row);
    uint64_t key = name;
    if (by_launch) {
      key = Join(names_and_operators.Number(Join(name, static_cast<uint32_t>(op))),
                 configurations.Number(detail == nullptr ? no_detail : *detail));
    }
    const uint32_t number = numbers.Number(key);
    if (number == groups.size()) {
      groups.emplace_back();
      groups.back().first = row;  // device events are in file order
    }
    Group& group = groups[number];
    AddKernel(group.sums, trace.spans.duration_ns[row], detail);
    group.op.Add(op);
    if (IsCommunication(trace, facts, row)) group.sums.kind = KernelKind::kCommunication;
  }

  std::vector<KernelRow> rows;
  rows.reserve(groups.size());
  for (Group& group : groups) {
    KernelRow row = std::move(group.sums);
    row.name = trace.NameOfSpan(group.first);
    row.first_event = group.first;
    row.tensor_core = facts.Is(trace.spans.name[group.first], NameFact::kTensorCoreKernel);
    if (group.op.name() != kNoString) row.op = std::string(trace.Text(group.op.name()));
    if (by_launch) SetConfiguration(row, trace.DeviceOf(group.first));
    SetMeans(row);
    rows.push_back(std::move(row));
  }
  SortKernels(rows);
  return rows;
}

}  // namespace telltale
