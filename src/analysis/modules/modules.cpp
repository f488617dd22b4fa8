// SPDX-License-Identifier: Apache-2.0
#include "analysis/modules/modules.h"

#include <algorithm>
#include <utility>

#include "analysis/core/backward_links.h"
#include "analysis/core/nesting.h"
#include "analysis/core/sums.h"
#include "analysis/modules/rows.h"
#include "analysis/modules/spans.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// Which row and phase something counts for.
struct Share {
  uint32_t row = kNoRow;
  ModulePhase phase = ModulePhase::kForward;
};

class ModuleTable {
 public:
  ModuleTable(const TraceContext& context, const ModuleSpans& modules)
      : trace_(context.trace),
        context_(context),
        tree_(context.tree),
        modules_(modules),
        innermost_(InnermostModules(context.trace, context.tree, modules)),
        backward_(LinkBackward(context.trace, context.tree)) {
    ModuleRows placed = PlaceModules(trace_, modules_);
    rows_ = std::move(placed.rows);
    row_of_call_ = std::move(placed.row_of);
    outside_ = static_cast<uint32_t>(rows_.size());
    ModuleRow outside;
    outside.name = "(outside of modules)";
    outside.path = outside.name;
    rows_.push_back(std::move(outside));
  }

  ModuleReport Describe() {
    FollowBackward();
    ShareNodes();
    for (const HostThread& thread : tree_.threads) {
      const HostThread* const calls = modules_.ThreadOf(thread.track);
      if (calls == nullptr) {
        SumPlainThread(thread);
      } else {
        SumThread(thread, *calls);
      }
    }
    SumFrameOnlyThreads();
    SumDevice();
    ModuleReport report;
    report.rows = std::move(rows_);
    ArrangeModules(report);
    return report;
  }

 private:
  [[nodiscard]] int64_t StartOf(NodeId node) const {
    return trace_.spans.start_ns[tree_.span[node]];
  }
  [[nodiscard]] uint32_t RowOfCall(ModuleCall call) const {
    return call == kNoRow ? outside_ : row_of_call_[call];
  }

  // Whether the call lies inside the backward operator, rather than around it.
  [[nodiscard]] bool IsInside(ModuleCall call, NodeId backward) const {
    const SpanTable& spans = trace_.spans;
    const SpanRow inner = modules_.span[call];
    const SpanRow outer = tree_.span[backward];
    if (spans.start_ns[inner] != spans.start_ns[outer]) {
      return spans.start_ns[inner] > spans.start_ns[outer];
    }
    return spans.duration_ns[inner] < spans.duration_ns[outer];
  }

  // Backward work goes to the module whose forward operator it belongs to; a module that runs
  // inside the backward operator (recomputation) keeps its own.
  [[nodiscard]] Share ShareOf(NodeId node) const {
    const ModuleCall call = innermost_[node];
    const NodeId backward = backward_.inside[node];
    if (backward == kNoRow) return {RowOfCall(call), ModulePhase::kForward};
    if (call != kNoRow && IsInside(call, backward))
      return {RowOfCall(call), ModulePhase::kBackward};
    const uint32_t linked = linked_row_[backward];
    return {linked == kNoRow ? RowOfCall(call) : linked, ModulePhase::kBackward};
  }

  // In order of time, so that what a link leads to is known: a forward operator may itself be
  // backward work (gradients of gradients).
  void FollowBackward() {
    uint32_t* const linked = linked_row_.extend(tree_.size());
    std::fill_n(linked, tree_.size(), kNoRow);
    for (size_t i = 0; i < backward_.backward.size(); ++i) {
      const NodeId node = backward_.backward[i];
      if (const NodeId forward = backward_.forward[i]; forward != kNoRow) {
        linked[node] = ShareOf(forward).row;
      } else if (const NodeId before = backward_.produced_by[i]; before != kNoRow) {
        linked[node] = linked[before];
      }
    }
  }

  void ShareNodes() {
    Share* const shares = share_.extend(tree_.size());
    for (NodeId node = 0; node < tree_.size(); ++node) shares[node] = ShareOf(node);
  }

  [[nodiscard]] ModuleWork& WorkOf(Share share) { return rows_[share.row].Work(share.phase); }

  [[nodiscard]] bool IsOperator(NodeId node) const {
    return trace_.spans.category[tree_.span[node]] == Category::kOperator;
  }

  // Lightning's annotations are nodes too: calls of their own, or the inside of a frame.
  [[nodiscard]] bool IsCall(NodeId node) const {
    const ModuleCall call = innermost_[node];
    return call != kNoRow && modules_.span[call] == tree_.span[node];
  }
  [[nodiscard]] bool IsFrame(NodeId node) const {
    const ModuleCall call = innermost_[node];
    return call != kNoRow && modules_.path_span[call] == tree_.span[node];
  }

  void AddNode(NodeId node, NodeId around) {
    const SpanRow row = tree_.span[node];
    if (!context_.selection.HasHostTime(trace_.spans.start_ns[row])) return;
    ModuleWork& work = WorkOf(share_[node]);
    AddTo(work.host_self_ns, trace_.spans.duration_ns[row]);
    if (IsFrame(node)) AddTo(work.frame_self_ns, trace_.spans.duration_ns[row]);
    if (IsCall(node)) CountCall(share_[node]);
    const bool top = around == kNoRow || !IsOperator(around) || backward_.inside[node] == node;
    if (IsOperator(node) && top) ++work.operators;
  }
  void SubtractFromNode(NodeId node, int64_t duration_ns) {
    if (!context_.selection.HasHostTime(StartOf(node))) return;
    ModuleWork& work = WorkOf(share_[node]);
    SubtractFrom(work.host_self_ns, duration_ns);
    if (IsFrame(node)) SubtractFrom(work.frame_self_ns, duration_ns);
  }
  void CountCall(Share share) {
    ModuleRow& row = rows_[share.row];
    ++(share.phase == ModulePhase::kForward ? row.calls : row.recomputed_calls);
  }

  void SumPlainThread(const HostThread& thread) {
    CancelCheck cancel;
    for (NodeId node = thread.first; node < thread.last; ++node) {
      cancel.Tick();
      const NodeId parent = tree_.parent[node];
      AddNode(node, parent);
      if (parent != kNoRow) {
        SubtractFromNode(parent, trace_.spans.duration_ns[tree_.span[node]]);
      }
    }
  }

  // Host events and calls in one nesting: each counts its time once, less what lies directly in it.
  void SumThread(const HostThread& thread, const HostThread& calls) {
    const SpanTable& spans = trace_.spans;
    const auto first_call = static_cast<uint32_t>(tree_.size());  // calls are numbered behind nodes
    OpenIntervals open;
    NodeId node = thread.first;
    ModuleCall call = calls.first;
    // Per call: the node it lies in, as the phase of its own time follows from that.
    std::vector<NodeId> node_around(calls.last - calls.first, kNoRow);
    const auto around = [&](uint32_t parent) {
      const bool is_call = parent != OpenIntervals::kNone && parent >= first_call;
      return is_call ? node_around[parent - first_call - calls.first] : parent;
    };
    while (node < thread.last || call < calls.last) {
      if (call < calls.last && spans.category[modules_.span[call]] == Category::kAnnotation) {
        ++call;  // a node as well: its time is counted there
        continue;
      }
      const bool take_call =
          call < calls.last &&
          (node == thread.last || !ComesBefore(tree_.span[node], modules_.span[call]));
      const SpanRow row = take_call ? modules_.span[call] : tree_.span[node];
      const uint32_t id = take_call ? first_call + call : node;
      const uint32_t parent = open.Add(id, spans.start_ns[row], spans.end_ns(row)).parent;
      if (take_call) {
        node_around[call - calls.first] = around(parent);
        AddCall(call, around(parent));
        ++call;
      } else {
        AddNode(node, parent != OpenIntervals::kNone && parent < first_call ? parent : kNoRow);
        ++node;
      }
      if (parent == OpenIntervals::kNone) continue;
      if (parent < first_call) {
        SubtractFromNode(parent, spans.duration_ns[row]);
      } else {
        SubtractFromCall(parent - first_call, node_around[parent - first_call - calls.first],
                         spans.duration_ns[row]);
      }
    }
  }

  // In the order of nesting.h; at equal times a call is around an event.
  [[nodiscard]] bool ComesBefore(SpanRow node, SpanRow call) const {
    const SpanTable& spans = trace_.spans;
    if (spans.start_ns[node] != spans.start_ns[call]) {
      return spans.start_ns[node] < spans.start_ns[call];
    }
    return spans.duration_ns[node] > spans.duration_ns[call];
  }

  [[nodiscard]] Share ShareOfCall(ModuleCall call, NodeId around) const {
    const bool backward = around != kNoRow && backward_.inside[around] != kNoRow;
    return {row_of_call_[call], backward ? ModulePhase::kBackward : ModulePhase::kForward};
  }
  void AddCall(ModuleCall call, NodeId around) {
    const SpanRow row = modules_.span[call];
    if (!context_.selection.HasHostTime(trace_.spans.start_ns[row])) return;
    const Share share = ShareOfCall(call, around);
    CountCall(share);
    AddTo(WorkOf(share).host_self_ns, trace_.spans.duration_ns[row]);
    AddTo(WorkOf(share).frame_self_ns, trace_.spans.duration_ns[row]);
  }
  void SubtractFromCall(ModuleCall call, NodeId around, int64_t duration_ns) {
    if (!context_.selection.HasHostTime(trace_.spans.start_ns[modules_.span[call]])) return;
    ModuleWork& work = WorkOf(ShareOfCall(call, around));
    SubtractFrom(work.host_self_ns, duration_ns);
    SubtractFrom(work.frame_self_ns, duration_ns);
  }

  // Threads with frames but no host event.
  void SumFrameOnlyThreads() {
    for (const HostThread& calls : modules_.threads) {
      const auto at =
          std::lower_bound(tree_.threads.begin(), tree_.threads.end(), calls.track,
                           [](const HostThread& t, TrackId track) { return t.track < track; });
      if (at != tree_.threads.end() && at->track == calls.track) continue;
      for (ModuleCall call = calls.first; call < calls.last; ++call) {
        AddCall(call, kNoRow);
        const ModuleCall parent = modules_.parent[call];
        if (parent == kNoRow) continue;
        SubtractFromCall(parent, kNoRow, trace_.spans.duration_ns[modules_.span[call]]);
      }
    }
  }

  void SumDevice() {
    const DeviceLinks& links = context_.links;
    CancelCheck cancel;
    for (size_t i = 0; i < links.size(); ++i) {
      cancel.Tick();
      if (!context_.selection.HasDeviceEvent(trace_, tree_, links, i)) continue;
      const NodeId launch = links.launch[i];
      const Share share =
          launch == kNoRow ? Share{outside_, ModulePhase::kForward} : share_[launch];
      AddTo(WorkOf(share).device_self_ns, trace_.spans.duration_ns[links.device[i]]);
    }
  }

  const Trace& trace_;
  const TraceContext& context_;
  const HostTree& tree_;
  const ModuleSpans& modules_;
  Column<ModuleCall> innermost_;  // by node
  BackwardLinks backward_;
  std::vector<ModuleRow> rows_;
  Column<uint32_t> row_of_call_;
  uint32_t outside_ = 0;
  Column<uint32_t> linked_row_;  // by node, set for backward operators
  Column<Share> share_;          // by node
};

}  // namespace

ModuleReport DescribeModules(const TraceContext& context) {
  const ModuleSpans modules = FindModuleSpans(context.trace);
  if (modules.size() == 0) return {};
  return ModuleTable(context, modules).Describe();
}

}  // namespace telltale
