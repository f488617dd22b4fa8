// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/like_torch.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/core/flops.h"
#include "analysis/core/key_numbers.h"
#include "analysis/core/nesting.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "analysis/core/torch_texts.h"
#include "analysis/work/operators.h"

namespace telltale {

namespace {

constexpr std::array<std::string_view, 6> kHidden = {"profiler::_record_function_enter",
                                                     "profiler::_record_function_enter_new",
                                                     "profiler::_record_function_exit",
                                                     "aten::is_leaf",
                                                     "aten::output_nr",
                                                     "aten::_version"};

// Events by tid, then start, longer first, file order; behind them those that take no part in the
// nesting.
struct TorchTree {
  std::vector<SpanRow> span;
  std::vector<uint32_t> parent;       // before folding
  std::vector<uint32_t> folded_into;  // itself unless folded
  std::vector<StringId> name;         // as shown
  size_t nested = 0;                  // events from here on were still open when recording ended
  std::optional<int64_t> window_end_ns;

  [[nodiscard]] size_t size() const { return span.size(); }
  [[nodiscard]] uint32_t EffectiveParent(uint32_t event) const {
    const uint32_t above = parent[folded_into[event]];
    return above == kNoRow ? kNoRow : folded_into[above];
  }
  [[nodiscard]] int64_t End(const SpanTable& spans, uint32_t event) const {
    const int64_t end = spans.end_ns(span[event]);
    return event < nested ? end : window_end_ns.value_or(end);
  }
};

bool TakesPart(Category category) {
  return category == Category::kOperator || category == Category::kAnnotation ||
         category == Category::kPython;
}

class TreeBuilder {
 public:
  TreeBuilder(const Trace& trace, TorchTexts& texts) : trace_(trace), texts_(texts) {}

  TorchTree Build() {
    Collect();
    tree_.parent.assign(tree_.size(), kNoRow);
    tree_.folded_into.resize(tree_.size());
    std::iota(tree_.folded_into.begin(), tree_.folded_into.end(), 0U);
    for (const SpanRow row : tree_.span) {
      tree_.name.push_back(
          texts_.Name(trace_.spans.name[row], trace_.spans.category[row] == Category::kOperator));
    }
    Nest();
    Fold();
    return std::move(tree_);
  }

 private:
  void Collect() {
    const SpanTable& spans = trace_.spans;
    std::array<StringId, kHidden.size()> hidden;
    std::transform(kHidden.begin(), kHidden.end(), hidden.begin(),
                   [&](std::string_view name) { return trace_.strings.Find(name); });
    KeyNumbers tids;
    std::vector<uint32_t> thread_of_track;
    for (const Track& track : trace_.tracks) {
      thread_of_track.push_back(tids.Number(static_cast<uint32_t>(track.tid.text)));
    }
    std::vector<std::vector<SpanRow>> threads(tids.size());
    std::vector<SpanRow> unfinished;
    for (size_t i = 0; i < spans.size(); ++i) {
      const auto row = static_cast<SpanRow>(i);
      if (spans.category[i] == Category::kTraceSpan) {
        const int64_t end = spans.end_ns(i);
        tree_.window_end_ns = std::max(tree_.window_end_ns.value_or(end), end);
      }
      if (!TakesPart(spans.category[i])) continue;
      if (std::find(hidden.begin(), hidden.end(), spans.name[i]) != hidden.end()) continue;
      const OperatorDetail* detail = trace_.OperatorOf(row);
      if (detail != nullptr && !detail->finished) {
        unfinished.push_back(row);
      } else {
        threads[thread_of_track[static_cast<size_t>(spans.track[i])]].push_back(row);
      }
    }
    for (std::vector<SpanRow>& rows : threads) {
      SortRuns(std::span(rows), [&spans](SpanRow a, SpanRow b) {
        if (spans.start_ns[a] != spans.start_ns[b]) return spans.start_ns[a] < spans.start_ns[b];
        if (spans.duration_ns[a] != spans.duration_ns[b])
          return spans.duration_ns[a] > spans.duration_ns[b];
        return a < b;
      });
      tree_.span.insert(tree_.span.end(), rows.begin(), rows.end());
      thread_ends_.push_back(tree_.span.size());
      rows = {};
    }
    tree_.nested = tree_.span.size();
    tree_.span.insert(tree_.span.end(), unfinished.begin(), unfinished.end());
  }

  void Nest() {
    OpenIntervals open;
    uint32_t event = 0;
    for (const size_t end : thread_ends_) {
      open.Clear();
      for (; event < end; ++event) {
        const SpanRow row = tree_.span[event];
        tree_.parent[event] =
            open.Add(event, trace_.spans.start_ns[row], trace_.spans.end_ns(row)).parent;
      }
    }
  }

  void Fold() {
    std::vector<uint8_t> children(tree_.size(), 0);  // up to 2
    for (const uint32_t above : tree_.parent) {
      if (above != kNoRow && children[above] < 2) ++children[above];
    }
    for (uint32_t event = 0; event < tree_.nested; ++event) {
      const uint32_t above = tree_.parent[event];
      if (above != kNoRow && children[above] == 1 && tree_.name[event] == tree_.name[above]) {
        tree_.folded_into[event] = tree_.folded_into[above];
      }
    }
  }

  const Trace& trace_;
  TorchTexts& texts_;
  TorchTree tree_;
  std::vector<size_t> thread_ends_;
};

// All [memory] instants by time. Only host memory has bytes here, but any instant can be claimed.
class AllInstants {
 public:
  explicit AllInstants(const MemoryTable& memory) {
    std::vector<uint32_t> order(memory.size());
    std::iota(order.begin(), order.end(), 0U);
    SortRuns(std::span(order),
             [&](uint32_t a, uint32_t b) { return memory.time_ns[a] < memory.time_ns[b]; });
    int64_t sum = 0;
    bytes_before_.push_back(0);
    for (const uint32_t i : order) {
      time_ns_.push_back(memory.time_ns[i]);
      if (memory.device_type[i] == 0) AddTo(sum, memory.bytes[i]);
      bytes_before_.push_back(sum);
    }
    claims_.assign(memory.size() + 1, 0);
  }

  // The bytes from start to end, both inclusive; those instants are claimed.
  int64_t Claim(int64_t start_ns, int64_t end_ns) {
    const auto first = std::lower_bound(time_ns_.begin(), time_ns_.end(), start_ns);
    const auto last = std::upper_bound(first, time_ns_.end(), end_ns);
    if (first >= last) return 0;
    const auto from = static_cast<size_t>(first - time_ns_.begin());
    const auto to = static_cast<size_t>(last - time_ns_.begin());
    ++claims_[from];
    --claims_[to];
    return Difference(bytes_before_[to], bytes_before_[from]);
  }

  // Calls `visit` with time and bytes of each instant that no event claimed.
  template <typename Visit>
  void VisitUnclaimed(Visit visit) const {
    int64_t claims = 0;
    for (size_t i = 0; i < time_ns_.size(); ++i) {
      claims += claims_[i];
      if (claims == 0) visit(time_ns_[i], Difference(bytes_before_[i + 1], bytes_before_[i]));
    }
  }

 private:
  std::vector<int64_t> time_ns_;
  std::vector<int64_t> bytes_before_;
  std::vector<int64_t> claims_;  // differences
};

// torch's order of events: by start, longer first, file order.
struct OrderKey {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint64_t position = 0;

  friend bool operator<(const OrderKey& a, const OrderKey& b) {
    return std::tie(a.start_ns, b.end_ns, a.position) < std::tie(b.start_ns, a.end_ns, b.position);
  }
};

// The stack of each event: its own, or that of the forward operator for what runs in the backward
// pass.
class Stacks {
 public:
  Stacks(const Trace& trace, const TorchTree& tree, TorchTexts& texts)
      : trace_(trace), tree_(tree), texts_(texts), backward_(tree.size(), kNoRow) {
    const StringId accumulate = texts.Intern("torch::autograd::AccumulateGrad");
    for (uint32_t event = 0; event < tree.size(); ++event) {
      if (tree.folded_into[event] != event) continue;
      const OperatorDetail* detail = trace.OperatorOf(tree.span[event]);
      const bool has_forward = detail != nullptr && detail->forward_thread > 0;
      const uint32_t above = tree.EffectiveParent(event);
      if (tree.name[event] == accumulate ||
          (has_forward &&
           texts.Get(tree.name[event]).find("evaluate_function") == std::string_view::npos)) {
        backward_[event] = event;
      } else if (above != kNoRow) {
        backward_[event] = backward_[above];
      }
      if (backward_[event] != kNoRow || detail == nullptr || detail->sequence_number < 0) continue;
      forward_.push_back(
          {detail->sequence_number,
           {trace.spans.start_ns[tree.span[event]], tree.End(trace.spans, event), tree.span[event]},
           detail->call_stack});
    }
    SortRuns(std::span(forward_), [](const Forward& a, const Forward& b) {
      return a.sequence != b.sequence ? a.sequence < b.sequence : a.order < b.order;
    });
  }

  StringId Of(uint32_t event) {
    uint32_t source = backward_[event];
    if (source == kNoRow) {
      const OperatorDetail* detail = trace_.OperatorOf(tree_.span[event]);
      return detail == nullptr ? kEmptyString : texts_.Stack(detail->call_stack);
    }
    const OperatorDetail* detail = trace_.OperatorOf(tree_.span[source]);
    if (detail == nullptr || detail->sequence_number < 0) return kEmptyString;
    const auto at = std::lower_bound(
        forward_.begin(), forward_.end(), detail->sequence_number,
        [](const Forward& forward, int64_t sequence) { return forward.sequence < sequence; });
    const bool found = at != forward_.end() && at->sequence == detail->sequence_number;
    return found ? texts_.Stack(at->stack) : kEmptyString;
  }

 private:
  struct Forward {
    int64_t sequence = 0;
    OrderKey order;
    StringId stack = kNoString;
  };

  const Trace& trace_;
  const TorchTree& tree_;
  TorchTexts& texts_;
  std::vector<uint32_t> backward_;  // the backward node at or above an event
  std::vector<Forward> forward_;    // by sequence number, the first in torch's order first
};

class TorchTable {
 public:
  TorchTable(const Trace& trace, const Selection& selection, OperatorGrouping grouping)
      : trace_(trace), selection_(selection), grouping_(grouping), texts_(trace) {}

  std::vector<OperatorRow> Describe(const HostTree& host_tree, const DeviceLinks& links) {
    tree_ = TreeBuilder(trace_, texts_).Build();
    AssignGroups();
    SumHost();
    if (links.size() > 0) SumDevice(host_tree, links);
    if (trace_.memory.size() > 0) SumMemory();
    return Rows();
  }

 private:
  struct Group {
    OperatorRow sums;
    StringId name = kEmptyString;
    StringId second = kEmptyString;  // shape or stack
    OrderKey first;
  };

  uint32_t GroupOf(StringId name, StringId second, const OrderKey& order, OperatorKind kind) {
    const uint64_t key =
        uint64_t{static_cast<uint32_t>(name)} << 32 | static_cast<uint32_t>(second);
    const uint32_t number = numbers_.Number(key);
    if (number == groups_.size()) groups_.push_back({{}, name, second, order});
    Group& group = groups_[number];
    if (!(group.first < order)) {
      group.first = order;
      group.sums.kind = kind;
    }
    return number;
  }

  // Rows are for operators and annotations; Python frames have none.
  void AssignGroups() {
    const SpanTable& spans = trace_.spans;
    std::optional<Stacks> stacks;
    if (grouping_ == OperatorGrouping::kStack) stacks.emplace(trace_, tree_, texts_);
    group_of_.assign(tree_.size(), kNoRow);
    for (uint32_t event = 0; event < tree_.size(); ++event) {
      const SpanRow row = tree_.span[event];
      if (tree_.folded_into[event] != event || spans.category[row] == Category::kPython) continue;
      if (!selection_.HasHostTime(spans.start_ns[row])) continue;
      const OperatorDetail* detail = trace_.OperatorOf(row);
      StringId second = kEmptyString;
      if (grouping_ == OperatorGrouping::kShape) {
        second = texts_.Shape(detail == nullptr ? kNoString : detail->input_dims);
      } else if (stacks) {
        second = stacks->Of(event);
      }
      group_of_[event] =
          GroupOf(tree_.name[event], second, {spans.start_ns[row], tree_.End(spans, event), row},
                  spans.category[row] == Category::kAnnotation ? OperatorKind::kAnnotation
                                                               : OperatorKind::kOperator);
    }
  }

  // The sums of an event's row, or null.
  OperatorRow* SumsOf(uint32_t event) {
    if (event == kNoRow || group_of_[event] == kNoRow) return nullptr;
    return &groups_[group_of_[event]].sums;
  }

  void SumHost() {
    FlopsTable flops(trace_);
    for (uint32_t event = 0; event < tree_.size(); ++event) {
      if (tree_.folded_into[event] != event) continue;
      const SpanRow row = tree_.span[event];
      const int64_t duration =
          Difference(tree_.End(trace_.spans, event), trace_.spans.start_ns[row]);
      if (OperatorRow* sums = SumsOf(event)) {
        ++sums->calls;
        AddTo(sums->host_total_ns, duration);
        if (event < tree_.nested) AddTo(sums->host_self_ns, duration);
        AddFlops(flops, row, *sums);
      }
      if (OperatorRow* above = SumsOf(tree_.EffectiveParent(event))) {
        SubtractFrom(above->host_self_ns, duration);
      }
    }
  }

  void AddFlops(FlopsTable& flops, SpanRow row, OperatorRow& sums) {
    const OperatorDetail* detail = trace_.OperatorOf(row);
    if (detail == nullptr || detail->input_dims == kNoString) return;
    if (const std::optional<int64_t> count = flops.Of(trace_.spans.name[row], *detail)) {
      int64_t sum = sums.flops.value_or(0);
      AddTo(sum, *count);
      sums.flops = sum;
    }
  }

  void SumDevice(const HostTree& host_tree, const DeviceLinks& links) {
    Column<uint32_t> event_of(trace_.spans.size());  // plus 1; 0: none
    for (uint32_t event = 0; event < tree_.size(); ++event) event_of[tree_.span[event]] = event + 1;
    Column<int64_t> device_ns(tree_.size());
    for (size_t i = 0; i < links.size(); ++i) {
      if (links.owner[i] == kNoRow) continue;
      const uint32_t event_plus_one = event_of[host_tree.span[links.owner[i]]];
      if (event_plus_one == 0) continue;
      const uint32_t event = tree_.folded_into[event_plus_one - 1];
      const int64_t duration = trace_.spans.duration_ns[links.device[i]];
      AddTo(device_ns[event], duration);
      if (OperatorRow* sums = SumsOf(event)) AddTo(sums->device_self_ns, duration);
    }
    for (auto event = static_cast<uint32_t>(tree_.size());
         event-- > 0;) {  // children before parents
      if (tree_.parent[event] != kNoRow) AddTo(device_ns[tree_.parent[event]], device_ns[event]);
      if (OperatorRow* sums = SumsOf(event)) AddTo(sums->device_total_ns, device_ns[event]);
    }
  }

  void SumMemory() {
    for (Group& group : groups_) group.sums.memory_total_bytes = group.sums.memory_self_bytes = 0;
    AllInstants instants(trace_.memory);
    for (uint32_t event = 0; event < tree_.size(); ++event) {
      if (tree_.folded_into[event] != event) continue;  // inside the event it counts as
      const int64_t bytes =
          instants.Claim(trace_.spans.start_ns[tree_.span[event]], tree_.End(trace_.spans, event));
      if (OperatorRow* sums = SumsOf(event)) {
        AddTo(*sums->memory_total_bytes, bytes);
        if (event < tree_.nested) AddTo(*sums->memory_self_bytes, bytes);
      }
      if (OperatorRow* above = SumsOf(tree_.EffectiveParent(event))) {
        SubtractFrom(*above->memory_self_bytes, bytes);
      }
    }
    const StringId name = texts_.Intern("[memory]");
    const StringId second =
        grouping_ == OperatorGrouping::kShape ? texts_.Shape(kNoString) : kEmptyString;
    uint64_t position = trace_.spans.size();
    instants.VisitUnclaimed([&](int64_t time_ns, int64_t bytes) {
      if (!selection_.HasHostTime(time_ns)) return;
      const uint32_t number =
          GroupOf(name, second, {time_ns, time_ns, position++}, OperatorKind::kOperator);
      OperatorRow& sums = groups_[number].sums;
      ++sums.calls;
      int64_t total = sums.memory_total_bytes.value_or(0);
      AddTo(total, bytes);
      sums.memory_total_bytes = sums.memory_self_bytes = total;
    });
  }

  std::vector<OperatorRow> Rows() {
    std::sort(groups_.begin(), groups_.end(),
              [](const Group& a, const Group& b) { return a.first < b.first; });
    std::vector<OperatorRow> rows;
    rows.reserve(groups_.size());
    for (Group& group : groups_) {
      OperatorRow row = std::move(group.sums);
      row.name = texts_.Get(group.name);
      // torch knows no "not captured".
      row.flops = row.flops.value_or(0);
      row.memory_total_bytes = row.memory_total_bytes.value_or(0);
      row.memory_self_bytes = row.memory_self_bytes.value_or(0);
      if (grouping_ == OperatorGrouping::kShape)
        row.input_shapes = std::string(texts_.Get(group.second));
      if (grouping_ == OperatorGrouping::kStack) row.stack = std::string(texts_.Get(group.second));
      row.first_event = rows.size();
      rows.push_back(std::move(row));
    }
    SortOperators(rows);
    return rows;
  }

  const Trace& trace_;
  const Selection& selection_;
  OperatorGrouping grouping_;
  TorchTexts texts_;
  TorchTree tree_;
  KeyNumbers numbers_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // by event; kNoRow: no row
};

}  // namespace

std::vector<OperatorRow> DescribeOperatorsLikeTorch(const Trace& trace, const HostTree& tree,
                                                    const DeviceLinks& links,
                                                    const Selection& selection,
                                                    OperatorGrouping grouping) {
  return TorchTable(trace, selection, grouping).Describe(tree, links);
}

}  // namespace telltale
