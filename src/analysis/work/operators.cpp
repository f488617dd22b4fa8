// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/operators.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/core/flops.h"
#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"
#include "analysis/work/operator_memory.h"
#include "base/cancel.h"

namespace telltale {

namespace {

constexpr uint32_t kNoGroup = kNoRow;

struct Group {
  SpanRow first = kNoRow;  // first in the file
  uint64_t calls = 0;
  int64_t host_total_ns = 0;
  int64_t host_self_ns = 0;
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  int64_t tensor_core_total_ns = 0;
  int64_t tensor_core_self_ns = 0;
  int64_t flops = 0;
  bool has_flops = false;
  bool eligible = false;
};

class OperatorTable {
 public:
  OperatorTable(const Trace& trace, const HostTree& tree, const NameFacts& facts,
                const Selection& selection, OperatorGrouping grouping)
      : trace_(trace), tree_(tree), facts_(facts), selection_(selection), grouping_(grouping) {}

  // Calls, host times and flops; sets the groups that the other sums go to.
  void SumHost() {
    FlopsTable flops(trace_);
    uint32_t* const group_of = group_of_.extend(tree_.size());
    CancelCheck cancel;
    for (NodeId node = 0; node < tree_.size(); ++node) {
      cancel.Tick();
      group_of[node] = kNoGroup;
      if (tree_.folded_into[node] != node) continue;
      const SpanRow row = tree_.span[node];
      const int64_t duration = trace_.spans.duration_ns[row];
      const NodeId parent = tree_.EffectiveParent(node);
      if (parent != kNoRow && group_of[parent] != kNoGroup) {
        SubtractFrom(groups_[group_of[parent]].host_self_ns, duration);
      }
      if (trace_.spans.category[row] == Category::kRuntime) continue;
      if (!selection_.HasHostTime(trace_.spans.start_ns[row])) continue;

      const OperatorDetail* detail = trace_.OperatorOf(row);
      group_of[node] = GroupOf(row, detail);
      Group& group = groups_[group_of[node]];
      group.first = std::min(group.first, row);
      ++group.calls;
      AddTo(group.host_total_ns, duration);
      AddTo(group.host_self_ns, duration);
      if (detail != nullptr && facts_.Is(trace_.spans.name[row], NameFact::kHasFlopsFormula)) {
        if (const std::optional<int64_t> count = flops.Of(trace_.spans.name[row], *detail)) {
          AddTo(group.flops, *count);
          group.has_flops = true;
        }
      }
    }
  }

  // Device times flow from the operators that own them up to every event around those.
  void SumDevice(const DeviceLinks& links) {
    Column<int64_t> device_ns(tree_.size());
    Column<int64_t> tensor_core_ns(tree_.size());
    Column<uint8_t> eligible(tree_.size());
    for (size_t i = 0; i < links.size(); ++i) {
      const NodeId owner = links.owner[i];
      if (owner == kNoRow) continue;
      const SpanRow row = links.device[i];
      const int64_t duration = trace_.spans.duration_ns[row];
      const bool tensor_core = trace_.spans.category[row] == Category::kKernel &&
                               facts_.Is(trace_.spans.name[row], NameFact::kTensorCoreKernel);
      AddTo(device_ns[owner], duration);
      if (tensor_core) {
        AddTo(tensor_core_ns[owner], duration);
        eligible[owner] = 1;
      }
      if (group_of_[owner] == kNoGroup) continue;
      Group& group = groups_[group_of_[owner]];
      AddTo(group.device_self_ns, duration);
      if (tensor_core) AddTo(group.tensor_core_self_ns, duration);
    }
    for (NodeId node = static_cast<NodeId>(tree_.size()); node-- > 0;) {  // children before parents
      const SpanRow row = tree_.span[node];
      if (trace_.spans.category[row] != Category::kRuntime &&
          facts_.Is(trace_.spans.name[row], NameFact::kTensorCoreEligible)) {
        eligible[node] = 1;
      }
      if (const NodeId parent = tree_.parent[node]; parent != kNoRow) {
        AddTo(device_ns[parent], device_ns[node]);
        AddTo(tensor_core_ns[parent], tensor_core_ns[node]);
        eligible[parent] |= eligible[node];
      }
      if (group_of_[node] == kNoGroup) continue;
      Group& group = groups_[group_of_[node]];
      AddTo(group.device_total_ns, device_ns[node]);
      AddTo(group.tensor_core_total_ns, tensor_core_ns[node]);
      group.eligible |= eligible[node] != 0;
    }
  }

  [[nodiscard]] std::vector<OperatorRow> Rows() const {
    std::vector<OperatorRow> rows;
    rows.reserve(groups_.size());
    for (const Group& group : groups_) rows.push_back(RowOf(group));
    if (trace_.memory.size() > 0) {
      const std::vector<GroupMemory> memory =
          SumMemory(trace_, tree_, group_of_.span(), groups_.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        rows[i].memory_total_bytes = memory[i].total_bytes;
        rows[i].memory_self_bytes = memory[i].self_bytes;
      }
    }
    SortOperators(rows);
    return rows;
  }

 private:
  uint32_t GroupOf(SpanRow row, const OperatorDetail* detail) {
    StringId second = kNoString;
    if (detail != nullptr && grouping_ == OperatorGrouping::kShape) second = detail->input_dims;
    if (detail != nullptr && grouping_ == OperatorGrouping::kStack) second = detail->call_stack;
    // String ids have fewer than 31 bits: each costs more than two bytes of memory.
    const uint64_t annotation = trace_.spans.category[row] == Category::kAnnotation ? 1 : 0;
    const uint64_t name = static_cast<uint32_t>(trace_.spans.name[row]) & 0x7fffffffU;
    const uint32_t number =
        numbers_.Number(annotation << 63 | name << 32 | static_cast<uint32_t>(second));
    if (number == groups_.size()) groups_.emplace_back();
    return number;
  }

  [[nodiscard]] OperatorRow RowOf(const Group& group) const {
    OperatorRow row;
    row.name = trace_.NameOfSpan(group.first);
    row.kind = trace_.spans.category[group.first] == Category::kAnnotation
                   ? OperatorKind::kAnnotation
                   : OperatorKind::kOperator;
    const OperatorDetail* detail = trace_.OperatorOf(group.first);
    auto text = [&](StringId id) -> std::optional<std::string> {
      if (id == kNoString) return std::nullopt;
      return std::string(trace_.Text(id));
    };
    if (detail != nullptr && grouping_ == OperatorGrouping::kShape)
      row.input_shapes = text(detail->input_dims);
    if (detail != nullptr && grouping_ == OperatorGrouping::kStack)
      row.stack = text(detail->call_stack);
    row.calls = group.calls;
    row.host_total_ns = group.host_total_ns;
    row.host_self_ns = group.host_self_ns;
    row.device_total_ns = group.device_total_ns;
    row.device_self_ns = group.device_self_ns;
    if (group.has_flops) row.flops = group.flops;
    row.tensor_core_eligible = group.eligible;
    row.tensor_core_self_ns = group.tensor_core_self_ns;
    row.tensor_core_total_ns = group.tensor_core_total_ns;
    row.first_event = group.first;
    SetTensorCoreShares(row);
    return row;
  }

  const Trace& trace_;
  const HostTree& tree_;
  const NameFacts& facts_;
  const Selection& selection_;
  OperatorGrouping grouping_;
  KeyNumbers numbers_;
  std::vector<Group> groups_;
  Column<uint32_t>
      group_of_;  // by node; kNoGroup: runtime calls, folded events, events not selected
};

}  // namespace

void SetTensorCoreShares(OperatorRow& row) {
  auto share = [](int64_t part, int64_t whole) -> std::optional<double> {
    if (whole == 0) return std::nullopt;
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  row.tensor_core_self_share = share(row.tensor_core_self_ns, row.device_self_ns);
  row.tensor_core_total_share = share(row.tensor_core_total_ns, row.device_total_ns);
}

void SortOperators(std::vector<OperatorRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
    if (a.device_self_ns != b.device_self_ns) return a.device_self_ns > b.device_self_ns;
    if (a.host_self_ns != b.host_self_ns) return a.host_self_ns > b.host_self_ns;
    return std::tie(a.name, a.first_event) < std::tie(b.name, b.first_event);
  });
}

std::vector<OperatorRow> DescribeOperators(const Trace& trace, const HostTree& tree,
                                           const DeviceLinks& links, const NameFacts& facts,
                                           const Selection& selection, OperatorGrouping grouping) {
  OperatorTable table(trace, tree, facts, selection, grouping);
  table.SumHost();
  table.SumDevice(links);
  return table.Rows();
}

}  // namespace telltale
