// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/host_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

struct Built {
  explicit Built(const Trace& trace, unsigned threads = 1)
      : tree(BuildHostTree(trace, threads, diagnostics)) {
    node_of.assign(trace.spans.size(), kNoRow);
    for (NodeId node = 0; node < tree.size(); ++node) node_of[tree.span[node]] = node;
  }
  // The span row of the parent, before folding.
  [[nodiscard]] SpanRow Parent(SpanRow row) const {
    const NodeId parent = tree.parent[node_of[row]];
    return parent == kNoRow ? kNoRow : tree.span[parent];
  }
  [[nodiscard]] SpanRow EffectiveParent(SpanRow row) const {
    const NodeId parent = tree.EffectiveParent(node_of[row]);
    return parent == kNoRow ? kNoRow : tree.span[parent];
  }
  [[nodiscard]] SpanRow FoldedInto(SpanRow row) const {
    return tree.span[tree.folded_into[node_of[row]]];
  }
  [[nodiscard]] uint64_t Overlaps() const {
    return diagnostics.Count(DiagnosticKind::kPartialOverlap);
  }

  Diagnostics diagnostics;
  HostTree tree;
  std::vector<NodeId> node_of;
};

TEST(HostTree, NestsByContainmentPerThread) {
  TraceBuilder b;
  const SpanRow step = b.Annotation("ProfilerStep#1", 0, 100);
  const SpanRow mm = b.Operator("aten::mm", 10, 50);
  const SpanRow other_thread = b.Operator("aten::add", 20, 30, 2);
  const SpanRow launch = b.Runtime("cudaLaunchKernel", 20, 30, 1);
  const Built built(b.trace());
  EXPECT_EQ(built.Parent(step), kNoRow);
  EXPECT_EQ(built.Parent(mm), step);
  EXPECT_EQ(built.Parent(launch), mm);
  EXPECT_EQ(built.Parent(other_thread), kNoRow);
  EXPECT_EQ(built.Overlaps(), 0u);
  ASSERT_EQ(built.tree.threads.size(), 2u);
  EXPECT_EQ(built.tree.threads[0].last - built.tree.threads[0].first, 3u);
}

TEST(HostTree, SortsEventsThatComeOutOfOrder) {
  TraceBuilder b;
  const SpanRow inner = b.Operator("inner", 20, 30);
  const SpanRow late = b.Operator("late", 60, 70);
  const SpanRow outer = b.Operator("outer", 0, 100);
  const SpanRow middle = b.Operator("middle", 20, 40);
  const Built built(b.trace());
  EXPECT_EQ(built.Parent(middle), outer);
  EXPECT_EQ(built.Parent(inner), middle);
  EXPECT_EQ(built.Parent(late), outer);
}

TEST(HostTree, EarlierInFileIsParentOfAnIdenticalInterval) {
  TraceBuilder b;
  const SpanRow first = b.Operator("first", 5, 9);
  const SpanRow second = b.Operator("second", 5, 9);
  const Built built(b.trace());
  EXPECT_EQ(built.Parent(first), kNoRow);
  EXPECT_EQ(built.Parent(second), first);
}

TEST(HostTree, EventThatOvertakesAnotherIsTheInnermostForLaterOnes) {
  TraceBuilder b;
  b.Operator("a", 0, 10);
  const SpanRow overtakes = b.Operator("b", 5, 15);
  const SpanRow inside_both = b.Operator("c", 6, 9);
  const SpanRow inside_b = b.Operator("d", 11, 14);
  const Built built(b.trace());
  EXPECT_EQ(built.Parent(overtakes), kNoRow);
  EXPECT_EQ(built.Parent(inside_both), overtakes);
  EXPECT_EQ(built.Parent(inside_b), overtakes);
  EXPECT_EQ(built.Overlaps(), 1u);
  EXPECT_EQ(built.diagnostics.entries()[0].first_offset, b.trace().spans.offset[overtakes]);
}

TEST(HostTree, CountsAnOverlapWithAnEventThatWasOvertakenBefore) {
  TraceBuilder b;
  b.Operator("a", 0, 10);
  b.Operator("b", 5, 20);                     // overtakes a
  const SpanRow c = b.Operator("c", 8, 12);   // inside b, partly overlaps a
  const SpanRow d = b.Operator("d", 10, 11);  // a is over
  const Built built(b.trace());
  EXPECT_EQ(built.Parent(d), c);
  EXPECT_EQ(built.Overlaps(), 2u);
}

TEST(HostTree, ZeroLengthEventsAreChildrenButNeverParents) {
  TraceBuilder b;
  const SpanRow outer = b.Operator("outer", 0, 10);
  const SpanRow at_start = b.Operator("at start", 0, 0);
  const SpanRow inside = b.Operator("inside", 5, 5);
  const SpanRow same = b.Operator("same", 5, 5);
  const SpanRow at_end = b.Operator("at end", 10, 10);
  const Built built(b.trace());
  EXPECT_EQ(built.Parent(at_start), outer);
  EXPECT_EQ(built.Parent(inside), outer);
  EXPECT_EQ(built.Parent(same), outer);
  EXPECT_EQ(built.Parent(at_end), kNoRow);
  EXPECT_EQ(built.Overlaps(), 0u);
}

TEST(HostTree, FoldsChainsOfOnlyChildrenOfTheSameNameAndKind) {
  TraceBuilder b;
  const SpanRow outer = b.Operator("aten::add", 0, 100);
  const SpanRow middle = b.Operator("aten::add", 10, 90);
  const SpanRow inner = b.Operator("aten::add", 20, 80);
  const SpanRow empty = b.Operator("aten::empty", 30, 40);
  const SpanRow launch = b.Runtime("cudaLaunchKernel", 50, 60, 1);
  const Built built(b.trace());
  EXPECT_EQ(built.FoldedInto(middle), outer);
  EXPECT_EQ(built.FoldedInto(inner), outer);
  EXPECT_EQ(built.EffectiveParent(empty), outer);
  EXPECT_EQ(built.EffectiveParent(launch), outer);
  EXPECT_EQ(built.EffectiveParent(inner), kNoRow);
}

TEST(HostTree, DoesNotFoldSiblingsOtherKindsOrBesideARuntimeCall) {
  TraceBuilder b;
  b.Operator("x", 0, 10);
  const SpanRow first = b.Operator("x", 1, 2);
  b.Operator("x", 3, 4);
  b.Operator("y", 20, 30);
  const SpanRow annotation = b.Annotation("y", 21, 22);
  b.Operator("z", 40, 50);
  const SpanRow beside_call = b.Operator("z", 41, 42);
  b.Runtime("cudaFree", 43, 44);
  const Built built(b.trace());
  EXPECT_EQ(built.FoldedInto(first), first);
  EXPECT_EQ(built.FoldedInto(annotation), annotation);
  EXPECT_EQ(built.FoldedInto(beside_call), beside_call);
}

TEST(HostTree, EnclosingOperatorSkipsRuntimeCallsAndFolding) {
  TraceBuilder b;
  const SpanRow outer = b.Operator("aten::mm", 0, 100);
  b.Operator("aten::mm", 10, 90);
  b.Runtime("cudaLaunchKernel", 20, 50, 1);
  const SpanRow driver = b.Runtime("cuLaunchKernel", 30, 40, 1);
  const SpanRow alone = b.Runtime("cudaFree", 200, 210);
  const Built built(b.trace());
  const Column<NodeId> enclosing = EnclosingOperators(b.trace(), built.tree);
  EXPECT_EQ(built.tree.span[enclosing[built.node_of[driver]]], outer);
  EXPECT_EQ(enclosing[built.node_of[alone]], kNoRow);
}

TEST(HostTree, IgnoresPythonFramesAndDeviceEvents) {
  TraceBuilder b;
  b.Python("frame", 0, 100);
  b.Kernel("k", 10, 20, 1);
  const SpanRow op = b.Operator("op", 10, 20);
  const Built built(b.trace());
  EXPECT_EQ(built.tree.size(), 1u);
  EXPECT_EQ(built.Parent(op), kNoRow);
}

TEST(HostTree, EmptyTraceGivesEmptyTree) {
  TraceBuilder b;
  EXPECT_EQ(Built(b.trace()).tree.size(), 0u);
}

// The definition, word by word, in n squared.
struct Slow {
  SpanRow parent = kNoRow;
  bool overlap = false;
};

std::vector<Slow> NestSlowly(const SpanTable& spans) {
  std::vector<SpanRow> order(spans.size());
  for (SpanRow row = 0; row < spans.size(); ++row) order[row] = row;
  std::sort(order.begin(), order.end(), [&](SpanRow a, SpanRow b) {
    return std::tuple(spans.start_ns[a], -spans.duration_ns[a], a) <
           std::tuple(spans.start_ns[b], -spans.duration_ns[b], b);
  });
  std::vector<Slow> result(spans.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const SpanRow row = order[i];
    for (size_t j = i; j-- > 0;) {
      if (spans.end_ns(order[j]) <= spans.start_ns[row]) continue;
      if (spans.end_ns(order[j]) < spans.end_ns(row)) result[row].overlap = true;
      if (spans.end_ns(order[j]) >= spans.end_ns(row) && result[row].parent == kNoRow) {
        result[row].parent = order[j];
      }
    }
  }
  return result;
}

TEST(HostTree, AgreesWithTheDefinitionOnRandomOverlaps) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    TraceBuilder b;
    for (size_t n = 1 + random() % 25; n > 0; --n) {
      const auto start = static_cast<int64_t>(random() % 30);
      b.Operator("op" + std::to_string(n), start, start + static_cast<int64_t>(random() % 20));
    }
    const std::vector<Slow> slow = NestSlowly(b.trace().spans);
    const Built built(b.trace(), 2);
    uint64_t overlaps = 0;
    for (SpanRow row = 0; row < slow.size(); ++row) {
      ASSERT_EQ(built.Parent(row), slow[row].parent) << round;
      if (slow[row].overlap) ++overlaps;
    }
    ASSERT_EQ(built.Overlaps(), overlaps) << round;
  }
}

TEST(HostTree, DeepNestingAndEndlessOverlapsStayFast) {
  constexpr int64_t kCount = 300'000;
  TraceBuilder b;
  for (int64_t i = 0; i < kCount; ++i) b.Operator("deep", i, 2 * kCount - i, 1);
  for (int64_t i = 0; i < kCount; ++i) b.Operator("stairs", i, kCount + i, 2);
  for (int64_t i = kCount; i-- > 0;) b.Operator("backwards", i, i + 1, 3);
  const Built built(b.trace(), 2);
  EXPECT_EQ(built.tree.parent[kCount - 1], static_cast<NodeId>(kCount - 2));
  EXPECT_EQ(built.tree.folded_into[kCount - 1], 0u);
  EXPECT_EQ(built.Overlaps(), static_cast<uint64_t>(kCount - 1));
}

}  // namespace
}  // namespace telltale
