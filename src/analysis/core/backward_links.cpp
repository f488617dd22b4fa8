// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/backward_links.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/core/sort_runs.h"
#include "base/cancel.h"

namespace telltale {

namespace {

constexpr std::string_view kEvaluatePrefix = "autograd::engine::evaluate_function: ";
constexpr std::string_view kAccumulateName = "torch::autograd::AccumulateGrad";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// AddmmBackward0, MulBackward; not a name that merely contains the word.
bool EndsInBackward(std::string_view name) {
  while (!name.empty() && IsDigit(name.back())) name.remove_suffix(1);
  return name.ends_with("Backward");
}

struct Forward {
  int64_t sequence;
  TrackId track;
  int64_t start_ns;
  NodeId node;

  [[nodiscard]] auto Key() const { return std::tie(sequence, track, start_ns, node); }
};

class Linker {
 public:
  Linker(const Trace& trace, const HostTree& tree) : trace_(trace), tree_(tree) {}

  Column<NodeId> Find() {
    FindBackward();
    return std::move(links_.inside);
  }

  BackwardLinks Link() {
    FindBackward();
    if (links_.backward.empty()) return std::move(links_);
    FollowFlows();
    FollowSequenceNumbers();
    SortByStart();
    return std::move(links_);
  }

 private:
  [[nodiscard]] int64_t StartOf(NodeId node) const {
    return trace_.spans.start_ns[tree_.span[node]];
  }

  void FindBackward() {
    Column<uint8_t> kinds(trace_.strings.size());  // by StringId, of names
    bool any = false;
    for (size_t i = 0; i < kinds.size(); ++i) {
      const BackwardName kind = BackwardNameOf(trace_.Text(StringId{static_cast<uint32_t>(i)}));
      kinds[i] = static_cast<uint8_t>(kind);
      any |= kind != BackwardName::kNone;
    }
    NodeId* const inside = links_.inside.extend(tree_.size());
    std::fill_n(inside, tree_.size(), kNoRow);
    if (!any) return;

    for (const HostThread& thread : tree_.threads) {
      NodeId before = kNoRow;  // the backward operator that started last
      CancelCheck cancel;
      for (NodeId node = thread.first; node < thread.last; ++node) {
        cancel.Tick();
        const SpanRow row = tree_.span[node];
        const NodeId parent = tree_.parent[node];
        if (parent != kNoRow) inside[node] = inside[parent];
        if (trace_.spans.category[row] != Category::kOperator) continue;
        const BackwardName kind{kinds[static_cast<uint32_t>(trace_.spans.name[row])]};
        if (kind == BackwardName::kNone) continue;
        const bool evaluate =
            kind == BackwardName::kEvaluate || kind == BackwardName::kEvaluateAccumulate;
        if (!evaluate && inside[node] != kNoRow) continue;
        inside[node] = node;
        const bool accumulate =
            kind == BackwardName::kAccumulate || kind == BackwardName::kEvaluateAccumulate;
        links_.backward.push_back(node);
        links_.forward.push_back(kNoRow);
        links_.produced_by.push_back(accumulate ? before : kNoRow);
        before = node;
      }
    }
  }

  // The last node on the track that starts exactly then: the innermost one. The search begins at
  // `hint`, where the last one ended, and doubles its steps: arrows that follow each other mostly
  // end near each other.
  [[nodiscard]] NodeId NodeStartingAt(TrackId track, int64_t time_ns, NodeId& hint) const {
    const auto thread =
        std::lower_bound(tree_.threads.begin(), tree_.threads.end(), track,
                         [](const HostThread& t, TrackId wanted) { return t.track < wanted; });
    if (thread == tree_.threads.end() || thread->track != track) return kNoRow;
    // Nodes before `first` start by then, nodes from `last` on later.
    NodeId first = thread->first;
    NodeId last = thread->last;
    const NodeId begin = std::clamp(hint, first, last - 1);
    if (StartOf(begin) <= time_ns) {
      first = begin + 1;
      for (uint64_t step = 1; first < last; step *= 2) {
        const auto probe = static_cast<NodeId>(std::min<uint64_t>(begin + step, last - 1));
        if (StartOf(probe) > time_ns) {
          last = probe;
          break;
        }
        first = probe + 1;
      }
    } else {
      last = begin;
      for (uint64_t step = 1; first < last; step *= 2) {
        const NodeId probe = begin - first > step ? static_cast<NodeId>(begin - step) : first;
        if (StartOf(probe) <= time_ns) {
          first = probe + 1;
          break;
        }
        last = probe;
      }
    }
    while (first < last) {
      const NodeId middle = first + (last - first) / 2;
      if (StartOf(middle) <= time_ns) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    hint = first;
    if (first == thread->first || StartOf(first - 1) != time_ns) return kNoRow;
    return first - 1;
  }

  [[nodiscard]] size_t PositionOf(NodeId backward) const {
    // Nodes were found in their own order.
    const auto at = std::lower_bound(links_.backward.begin(), links_.backward.end(), backward);
    return static_cast<size_t>(at - links_.backward.begin());
  }

  void FollowFlows() {
    const FlowTable& flows = trace_.flows;
    std::vector<bool> wanted(trace_.categories.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      const std::string_view text = trace_.Text(trace_.categories[i].text);
      wanted[i] = text == "fwdbwd" || text == "forward_backward";
    }
    std::vector<uint32_t> rows;
    for (size_t i = 0; i < flows.size(); ++i) {
      if (wanted[static_cast<size_t>(flows.category_id[i])])
        rows.push_back(static_cast<uint32_t>(i));
    }
    // Ends after starts at the same moment, so that an arrow of no length is one.
    SortRuns(std::span(rows), [&](uint32_t a, uint32_t b) {
      return std::tuple(flows.id[a], flows.time_ns[a], flows.phase[a], a) <
             std::tuple(flows.id[b], flows.time_ns[b], flows.phase[b], b);
    });
    NodeId start_hint = 0;
    NodeId end_hint = 0;
    uint32_t start = kNoRow;
    for (const uint32_t row : rows) {
      if (start != kNoRow && flows.id[start] != flows.id[row]) start = kNoRow;
      if (flows.phase[row] == FlowPhase::kStart) start = row;
      if (flows.phase[row] != FlowPhase::kEnd || start == kNoRow) continue;
      const NodeId end_node = NodeStartingAt(flows.track[row], flows.time_ns[row], end_hint);
      const NodeId forward = NodeStartingAt(flows.track[start], flows.time_ns[start], start_hint);
      if (end_node == kNoRow || forward == kNoRow) continue;
      const NodeId backward = links_.inside[end_node];
      if (backward == kNoRow) continue;
      links_.forward[PositionOf(backward)] = forward;
    }
  }

  // The sequence number of a backward operator, its own or that of the node it evaluates.
  [[nodiscard]] const OperatorDetail* Numbered(NodeId backward) const {
    const OperatorDetail* detail = trace_.OperatorOf(tree_.span[backward]);
    return detail != nullptr && detail->sequence_number >= 0 ? detail : nullptr;
  }

  void FollowSequenceNumbers() {
    bool needed = false;
    std::map<int64_t, TrackId> track_of_thread;  // torch's numbers of threads, as the flows tell
    for (size_t i = 0; i < links_.backward.size(); ++i) {
      const OperatorDetail* detail = Numbered(links_.backward[i]);
      if (detail == nullptr) continue;
      if (links_.forward[i] == kNoRow) {
        needed = true;
      } else if (detail->forward_thread > 0) {
        track_of_thread.try_emplace(detail->forward_thread,
                                    trace_.spans.track[tree_.span[links_.forward[i]]]);
      }
    }
    if (!needed) return;

    std::vector<Forward> forwards;
    for (NodeId node = 0; node < tree_.size(); ++node) {
      const SpanRow row = tree_.span[node];
      if (trace_.spans.category[row] != Category::kOperator) continue;
      const OperatorDetail* detail = trace_.OperatorOf(row);
      // Backward operators carry the forward thread's number, forward ones 0 or none.
      if (detail == nullptr || detail->sequence_number < 0 || detail->forward_thread > 0) continue;
      forwards.push_back(
          {detail->sequence_number, trace_.spans.track[row], trace_.spans.start_ns[row], node});
    }
    std::sort(forwards.begin(), forwards.end(),
              [](const Forward& a, const Forward& b) { return a.Key() < b.Key(); });
    for (size_t i = 0; i < links_.backward.size(); ++i) {
      if (links_.forward[i] != kNoRow) continue;
      const NodeId backward = links_.backward[i];
      const OperatorDetail* detail = Numbered(backward);
      if (detail == nullptr) continue;
      const auto known = track_of_thread.find(detail->forward_thread);
      links_.forward[i] =
          LastForward(forwards, detail->sequence_number,
                      known == track_of_thread.end() ? nullptr : &known->second, StartOf(backward));
    }
  }

  // The operator with this number that started last before `before_ns`, on the track if that is
  // known; if not, all with this number must be on one track.
  [[nodiscard]] static NodeId LastForward(const std::vector<Forward>& forwards, int64_t sequence,
                                          const TrackId* track, int64_t before_ns) {
    const auto first_of = [&](const Forward& wanted) {
      return std::lower_bound(forwards.begin(), forwards.end(), wanted,
                              [](const Forward& a, const Forward& b) { return a.Key() < b.Key(); });
    };
    const auto begin = first_of({sequence, TrackId{0}, INT64_MIN, 0});
    if (begin == forwards.end() || begin->sequence != sequence) return kNoRow;
    const TrackId on = track == nullptr ? begin->track : *track;
    const auto at = first_of({sequence, on, before_ns, 0});
    if (track == nullptr) {
      const auto after = first_of({sequence, TrackId{static_cast<uint32_t>(on) + 1}, INT64_MIN, 0});
      if (after != forwards.end() && after->sequence == sequence) return kNoRow;
    }
    if (at == forwards.begin()) return kNoRow;
    const Forward& last = *(at - 1);
    return last.sequence == sequence && last.track == on ? last.node : kNoRow;
  }

  void SortByStart() {
    std::vector<uint32_t> order(links_.backward.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    SortRuns(std::span(order), [&](uint32_t a, uint32_t b) {
      const int64_t start_a = StartOf(links_.backward[a]);
      const int64_t start_b = StartOf(links_.backward[b]);
      return start_a != start_b ? start_a < start_b : links_.backward[a] < links_.backward[b];
    });
    const auto reorder = [&](Column<NodeId>& column) {
      Column<NodeId> sorted;
      sorted.reserve(column.size());
      for (const uint32_t i : order) sorted.push_back(column[i]);
      column = std::move(sorted);
    };
    reorder(links_.backward);
    reorder(links_.forward);
    reorder(links_.produced_by);
  }

  const Trace& trace_;
  const HostTree& tree_;
  BackwardLinks links_;
};

}  // namespace

BackwardName BackwardNameOf(std::string_view operator_name) {
  if (operator_name.starts_with(kEvaluatePrefix)) {
    return operator_name.ends_with(kAccumulateName) ? BackwardName::kEvaluateAccumulate
                                                    : BackwardName::kEvaluate;
  }
  if (operator_name.ends_with(kAccumulateName)) return BackwardName::kAccumulate;
  return EndsInBackward(operator_name) ? BackwardName::kNode : BackwardName::kNone;
}

Column<NodeId> BackwardOperators(const Trace& trace, const HostTree& tree) {
  return Linker(trace, tree).Find();
}

BackwardLinks LinkBackward(const Trace& trace, const HostTree& tree) {
  return Linker(trace, tree).Link();
}

}  // namespace telltale
