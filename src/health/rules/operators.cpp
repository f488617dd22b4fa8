// SPDX-License-Identifier: Apache-2.0
// The rule dominating_shape: one operator with one input shape that takes most of the time.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/core/communication.h"
#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"
#include "analysis/core/tensor_core.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kDominates = 0.30;
constexpr double kDominatesMedium = 0.60;

struct ShapeRow {
  StringId name = kNoString;
  StringId dims = kNoString;
  uint64_t calls = 0;
  int64_t time_ns = 0;
  SpanRow first = kNoRow;
};

struct ShapeTable {
  std::vector<ShapeRow> rows;
  int64_t total_ns = 0;
  bool on_device = false;
};

// Device time each node launched itself; zero everywhere on a trace without device events.
std::vector<int64_t> DeviceSelfTimes(const RankFacts& context, int64_t& total) {
  std::vector<int64_t> self(context.tree.size());
  for (size_t i = 0; i < context.links.size(); ++i) {
    const int64_t duration = context.trace.spans.duration_ns[context.links.device[i]];
    AddTo(total, duration);
    if (context.links.owner[i] != kNoRow) AddTo(self[context.links.owner[i]], duration);
  }
  return self;
}

// Host time of each node without its direct children, folded nodes being part of their parent.
std::vector<int64_t> HostSelfTimes(const RankFacts& context, int64_t& operator_total) {
  const HostTree& tree = context.tree;
  std::vector<int64_t> self(tree.size());
  for (NodeId node = 0; node < tree.size(); ++node) {
    if (tree.folded_into[node] != node) continue;
    const int64_t duration = context.trace.spans.duration_ns[tree.span[node]];
    AddTo(self[node], duration);
    const NodeId parent = tree.EffectiveParent(node);
    if (parent != kNoRow) SubtractFrom(self[parent], duration);
  }
  for (NodeId node = 0; node < tree.size(); ++node) {
    if (context.trace.spans.category[tree.span[node]] == Category::kOperator)
      AddTo(operator_total, self[node]);
  }
  return self;
}

ShapeTable SumByShape(const RankFacts& context) {
  ShapeTable table;
  table.on_device = context.has_device_events();
  const std::vector<int64_t> self = table.on_device ? DeviceSelfTimes(context, table.total_ns)
                                                    : HostSelfTimes(context, table.total_ns);
  KeyNumbers numbers;
  for (NodeId node = 0; node < context.tree.size(); ++node) {
    const SpanRow row = context.tree.span[node];
    if (self[node] <= 0 || context.trace.spans.category[row] != Category::kOperator) continue;
    const OperatorDetail* detail = context.trace.OperatorOf(row);
    if (detail == nullptr || detail->input_dims == kNoString) continue;
    const StringId name = context.trace.spans.name[row];
    const uint64_t key =
        uint64_t{static_cast<uint32_t>(name)} << 32 | static_cast<uint32_t>(detail->input_dims);
    const uint32_t number = numbers.Number(key);
    if (number == table.rows.size()) table.rows.push_back({name, detail->input_dims, 0, 0, row});
    ++table.rows[number].calls;
    AddTo(table.rows[number].time_ns, self[node]);
  }
  return table;
}

// Collectives are the business of the rule communication.
bool IsCommunicationOperator(std::string_view name) {
  return IsCommunicationRange(name) || name == "record_param_comms";
}

const ShapeRow* LargestRow(const RankFacts& context, const ShapeTable& table) {
  const ShapeRow* largest = nullptr;
  for (const ShapeRow& row : table.rows) {
    if (largest != nullptr && row.time_ns <= largest->time_ns) continue;
    if (!IsCommunicationOperator(context.trace.Text(row.name))) largest = &row;
  }
  return largest;
}

// The dimensions above 1 that tensor cores cannot divide evenly: "197 and 1003".
std::string OddDimensions(std::string_view dims) {
  std::vector<int64_t> odd;
  int64_t value = -1;
  for (char c : dims) {
    if (c >= '0' && c <= '9') {
      value = value < 0 ? c - '0' : value < 1'000'000'000'000 ? 10 * value + (c - '0') : value;
      continue;
    }
    if (value > 1 && value % 8 != 0 && std::find(odd.begin(), odd.end(), value) == odd.end())
      odd.push_back(value);
    value = -1;
  }
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(odd.size(), 3); ++i) {
    if (i > 0) text += i + 1 == std::min<size_t>(odd.size(), 3) ? " and " : ", ";
    text += std::to_string(odd[i]);
  }
  return text;
}

std::string ShapeRemedy(const RankFacts& context, const ShapeRow& row, bool on_device) {
  const std::string_view name = context.trace.Text(row.name);
  if (!on_device) {
    return "Optimise this call first: everything else together gains less. Try another layout or "
           "data type, "
           "torch.compile, or a different number of threads.";
  }
  if (!IsTensorCoreEligible(name)) {
    return "Optimise this call first: torch.compile or a fused kernel saves its trips through "
           "memory, a lower "
           "precision halves them.";
  }
  const std::string odd = OddDimensions(context.trace.Text(row.dims));
  if (odd.empty()) {
    return "Optimise this call first: lower precision, another layout, or less work in it.";
  }
  return "Optimise this call first: " + odd +
         (odd.find(' ') == odd.npos ? " is no multiple" : " are no multiples") +
         " of 8; padded dimensions reach faster kernels. Then try lower precision or another "
         "layout.";
}

std::optional<Recommendation> FindDominatingShape(const RankFacts& context) {
  const ShapeTable table = SumByShape(context);
  const ShapeRow* largest = LargestRow(context, table);
  if (largest == nullptr || largest->calls < kFewestEvents || table.total_ns <= 0)
    return std::nullopt;
  const double share = static_cast<double>(largest->time_ns) / static_cast<double>(table.total_ns);
  if (share <= kDominates) return std::nullopt;

  const std::string dims = ShortName(context.trace.Text(largest->dims));
  const std::string finding = fmt::format(
      "One operator with one input shape takes {} of the {} time: {} with {}, {} calls, {} in all.",
      Share(share), table.on_device ? "device" : "operators' own host",
      context.trace.Text(largest->name), dims, largest->calls, Duration(largest->time_ns));
  Recommendation made =
      Make(share >= kDominatesMedium ? AdviceSeverity::kMedium : AdviceSeverity::kLow, finding,
           ShapeRemedy(context, *largest, table.on_device));
  AddEvidence(made, "operator", std::string(context.trace.Text(largest->name)));
  AddEvidence(made, "input_shapes", std::string(context.trace.Text(largest->dims)));
  AddEvidence(made, "calls", largest->calls);
  AddEvidence(made, table.on_device ? "device_self_ns" : "host_self_ns", largest->time_ns);
  AddEvidence(made, table.on_device ? "device_share" : "host_share", share);
  AddExample(made, context.trace, largest->first);
  return made;
}

}  // namespace

Rule DominatingShape() {
  return {.id = "dominating_shape",
          .title = "dominating shape",
          .needs = "input shapes (record_shapes=True)",
          .threshold =
              "one operator and input shape with at least 10 calls takes > 30 % of the device "
              "time, or of the operators' own host time where there is no device (medium: >= 60 %)",
          .reason = "below a third everything else together gains more",
          .views = {"overview", "roofline"},
          .of_rank = FindDominatingShape};
}

}  // namespace telltale::health
