// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/host_tree.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>

#include "analysis/core/nesting.h"
#include "analysis/core/thread_rows.h"
#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

namespace {

static_assert(OpenIntervals::kNone == kNoRow);

struct Overlaps {
  uint64_t count = 0;
  uint64_t first_offset = std::numeric_limits<uint64_t>::max();

  void Add(uint64_t offset) {
    ++count;
    first_offset = std::min(first_offset, offset);
  }
  void Merge(const Overlaps& other) {
    count += other.count;
    first_offset = std::min(first_offset, other.first_offset);
  }
};

class ThreadBuilder {
 public:
  // `children`, zero at first: how many direct children each node has, up to 2.
  ThreadBuilder(const Trace& trace, HostTree& tree, Column<uint8_t>& children)
      : trace_(trace), tree_(tree), children_(children) {}

  void Build(const HostThread& thread) {
    SortForNesting(trace_, std::span(tree_.span.data() + thread.first, thread.last - thread.first));
    Nest(thread);
    Fold(thread);
  }

  [[nodiscard]] const Overlaps& overlaps() const { return overlaps_; }

 private:
  void Nest(const HostThread& thread) {
    open_.Clear();
    CancelCheck cancel;
    for (NodeId node = thread.first; node < thread.last; ++node) {
      cancel.Tick();
      const SpanRow row = tree_.span[node];
      const auto [parent, overlap] =
          open_.Add(node, trace_.spans.start_ns[row], trace_.spans.end_ns(row));
      tree_.parent[node] = parent;
      if (parent != kNoRow && children_[parent] < 2) ++children_[parent];
      if (overlap) overlaps_.Add(trace_.spans.offset[row]);
    }
  }

  // Every event of a chain of only children has the same name and kind, so one look at the direct
  // parent decides, and the top of the chain takes them all.
  void Fold(const HostThread& thread) {
    const SpanTable& spans = trace_.spans;
    for (NodeId node = thread.first; node < thread.last; ++node) {
      const NodeId parent = tree_.parent[node];
      tree_.folded_into[node] = node;
      if (parent == kNoRow || children_[parent] != 1) continue;
      const SpanRow row = tree_.span[node];
      const SpanRow above = tree_.span[parent];
      if (spans.name[row] == spans.name[above] && spans.category[row] == spans.category[above]) {
        tree_.folded_into[node] = tree_.folded_into[parent];
      }
    }
  }

  const Trace& trace_;
  HostTree& tree_;
  Column<uint8_t>& children_;
  OpenIntervals open_;
  Overlaps overlaps_;
};

}  // namespace

HostTree BuildHostTree(const Trace& trace, unsigned threads, Diagnostics& diagnostics) {
  HostTree tree;
  tree.threads = GatherByTrack(trace, tree.span,
                               [&](size_t row) { return IsHost(trace.spans.category[row]); });
  // Every row of these is written below; resize would only clear them first.
  (void)tree.parent.extend(tree.size());
  (void)tree.folded_into.extend(tree.size());
  Column<uint8_t> children(tree.size());

  const size_t workers = std::clamp<size_t>(tree.threads.size(), 1, ThreadCount(threads));
  std::vector<Overlaps> overlaps(workers);
  std::atomic<size_t> next{0};
  RunOnThreads(static_cast<unsigned>(workers), [&](unsigned worker) {
    ThreadBuilder builder(trace, tree, children);
    for (size_t i = next++; i < tree.threads.size(); i = next++) {
      StopIfCanceled();
      builder.Build(tree.threads[i]);
    }
    overlaps[worker] = builder.overlaps();
  });

  for (size_t i = 1; i < workers; ++i) overlaps[0].Merge(overlaps[i]);
  diagnostics.Add(DiagnosticKind::kPartialOverlap, overlaps[0].first_offset, overlaps[0].count);
  return tree;
}

Column<NodeId> EnclosingOperators(const Trace& trace, const HostTree& tree) {
  Column<NodeId> enclosing;
  NodeId* const result = enclosing.extend(tree.size());
  for (NodeId node = 0; node < tree.size(); ++node) {  // a parent comes before its children
    const NodeId parent = tree.EffectiveParent(node);
    const bool runtime =
        parent != kNoRow && trace.spans.category[tree.span[parent]] == Category::kRuntime;
    result[node] = runtime ? result[parent] : parent;
  }
  return enclosing;
}

}  // namespace telltale
