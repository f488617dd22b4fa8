// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

std::vector<OperatorRow> Describe(TraceBuilder& builder,
                                  OperatorGrouping grouping = OperatorGrouping::kName,
                                  const AnalysisOptions& options = {}) {
  const Trace& trace = builder.trace();
  Diagnostics diagnostics;
  const HostTree tree = BuildHostTree(trace, 1, diagnostics);
  const DeviceLinks links = LinkDeviceEvents(trace, tree, diagnostics);
  const NameFacts facts = FindNameFacts(trace, "");
  const Steps steps = FindSteps(trace, tree, links, facts, options, diagnostics);
  return DescribeOperators(trace, tree, links, facts, Selection(steps), grouping);
}

const OperatorRow& Row(const std::vector<OperatorRow>& rows, std::string_view name) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const OperatorRow& r) { return r.name == name; });
  EXPECT_NE(at, rows.end()) << name;
  return *at;
}

TEST(Operators, HostSelfSubtractsDirectChildrenIncludingRuntimeCalls) {
  TraceBuilder b;
  b.Operator("aten::linear", 0, 100);
  b.Operator("aten::addmm", 10, 80);
  b.Runtime("cudaLaunchKernel", 20, 50, 1);
  b.Operator("aten::linear", 200, 250);
  const std::vector<OperatorRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 2u);  // runtime calls have no row
  EXPECT_EQ(Row(rows, "aten::linear").calls, 2u);
  EXPECT_EQ(Row(rows, "aten::linear").host_total_ns, 150);
  EXPECT_EQ(Row(rows, "aten::linear").host_self_ns, 80);
  EXPECT_EQ(Row(rows, "aten::addmm").host_self_ns, 40);
}

TEST(Operators, FoldedEventsCountOnceAndTheirChildrenMoveUp) {
  TraceBuilder b;
  b.Operator("aten::to", 0, 100);
  b.Operator("aten::to", 10, 90);
  b.Operator("aten::copy_", 20, 50);
  b.Runtime("cudaMemcpyAsync", 30, 40, 1);
  b.Memcpy("Memcpy HtoD (Pageable -> Device)", 60, 75, 1);
  const std::vector<OperatorRow> rows = Describe(b);
  const OperatorRow& to = Row(rows, "aten::to");
  EXPECT_EQ(to.calls, 1u);
  EXPECT_EQ(to.host_total_ns, 100);
  EXPECT_EQ(to.host_self_ns, 70);
  EXPECT_EQ(to.device_self_ns, 0);
  EXPECT_EQ(to.device_total_ns, 15);
}

TEST(Operators, LaunchesOfAFoldedEventBelongToTheOneItCountsAs) {
  TraceBuilder b;
  b.Operator("aten::add", 0, 100);
  b.Operator("aten::add", 10, 90);
  b.Runtime("cudaLaunchKernel", 30, 40, 1);
  b.Kernel("k", 60, 75, 1);
  const OperatorRow add = Describe(b)[0];
  EXPECT_EQ(add.device_self_ns, 15);
  EXPECT_EQ(add.device_total_ns, 15);
  EXPECT_EQ(add.host_self_ns, 90);
}

TEST(Operators, HostSelfMayBeNegativeWithOverlaps) {
  TraceBuilder b;
  b.Operator("outer", 0, 10);
  b.Operator("a", 0, 8);
  b.Operator("b", 2, 10);
  EXPECT_EQ(Row(Describe(b), "outer").host_self_ns, -6);
}

TEST(Operators, SameNameOfBothKindsGivesTwoRows) {
  TraceBuilder b;
  b.Operator("x", 0, 10);
  b.Annotation("x", 20, 40);
  const std::vector<OperatorRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kind, OperatorKind::kAnnotation);
  EXPECT_EQ(rows[1].kind, OperatorKind::kOperator);
}

TEST(Operators, AreSortedByDeviceSelfThenHostSelfThenName) {
  TraceBuilder b;
  b.Operator("c", 0, 10);
  b.Operator("a", 10, 20);
  b.Operator("longer", 20, 50);
  b.Operator("device", 50, 51);
  b.Runtime("cudaLaunchKernel", 50, 51, 1);
  b.Kernel("k", 60, 61, 1);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(rows[0].name, "device");
  EXPECT_EQ(rows[1].name, "longer");
  EXPECT_EQ(rows[2].name, "a");
  EXPECT_EQ(rows[3].name, "c");
}

TEST(Operators, GroupByShapeOrStack) {
  TraceBuilder b;
  auto add = [&](const char* dims, const char* stack, int64_t start) {
    OperatorDetail& detail = b.OperatorDetailOf(b.Operator("aten::mm", start, start + 10));
    if (dims != nullptr) detail.input_dims = b.Text(dims);
    if (stack != nullptr) detail.call_stack = b.Text(stack);
  };
  add("[[2,3],[3,4]]", "a.py(1): f", 0);
  add("[[2,3],[3,4]]", "a.py(2): g", 20);
  add("[[5,5],[5,5]]", "a.py(2): g", 40);
  add(nullptr, nullptr, 60);
  EXPECT_EQ(Describe(b).size(), 1u);
  EXPECT_EQ(Describe(b)[0].input_shapes, std::nullopt);
  EXPECT_EQ(Describe(b)[0].flops, 2 * (48 + 125));
  const std::vector<OperatorRow> shapes = Describe(b, OperatorGrouping::kShape);
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].input_shapes, "[[2,3],[3,4]]");
  EXPECT_EQ(shapes[0].calls, 2u);
  EXPECT_EQ(shapes[0].flops, 96);
  EXPECT_EQ(shapes[2].input_shapes, std::nullopt);
  EXPECT_EQ(shapes[2].flops, std::nullopt);
  const std::vector<OperatorRow> stacks = Describe(b, OperatorGrouping::kStack);
  ASSERT_EQ(stacks.size(), 3u);
  EXPECT_EQ(stacks[0].stack, "a.py(2): g");
  EXPECT_EQ(stacks[0].input_shapes, std::nullopt);
}

TEST(Operators, MemoryIsNullWithoutInstants) {
  TraceBuilder b;
  b.Operator("x", 0, 10);
  EXPECT_EQ(Describe(b)[0].memory_total_bytes, std::nullopt);
  EXPECT_EQ(Describe(b)[0].memory_self_bytes, std::nullopt);
}

TEST(Operators, MemoryCountsInstantsOfTheThreadInsideTheInterval) {
  TraceBuilder b;
  b.Operator("outer", 0, 100);
  b.Operator("inner", 10, 50);
  b.Operator("beside", 50, 60);
  b.Operator("idle", 70, 80);
  b.Memory(0, 1);
  b.Memory(50, 10);  // at the end of one child and the start of the next: in both
  b.Memory(30, -100);
  b.Memory(65, 1000);
  b.Memory(30, 7, 2);  // another thread
  b.Memory(101, 5000);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(Row(rows, "outer").memory_total_bytes, 911);
  EXPECT_EQ(Row(rows, "outer").memory_self_bytes, 1001);
  EXPECT_EQ(Row(rows, "inner").memory_total_bytes, -90);
  EXPECT_EQ(Row(rows, "beside").memory_self_bytes, 10);
  EXPECT_EQ(Row(rows, "idle").memory_total_bytes, 0);
}

TEST(Operators, RuntimeCallsTakeNoMemoryFromTheirOperator) {
  TraceBuilder b;
  b.Operator("outer", 0, 100);
  b.Runtime("cudaMalloc", 10, 50);
  b.Memory(20, 64);
  EXPECT_EQ(Row(Describe(b), "outer").memory_self_bytes, 64);
}

TEST(Operators, TensorCoreEligibilityComesFromNameChildrenOrKernels) {
  TraceBuilder b;
  b.Annotation("forward", 0, 100);
  b.Operator("aten::mm", 10, 20);
  b.Operator("custom::gemm", 30, 40);
  b.Runtime("cudaLaunchKernel", 31, 32, 1);
  b.Runtime("cudaLaunchKernel", 33, 34, 2);
  b.Operator("aten::relu", 50, 60);
  b.Kernel("turing_fp16_s1688gemm_fp16_128x128", 100, 130, 1);
  b.Kernel("elementwise", 130, 140, 2);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_TRUE(Row(rows, "forward").tensor_core_eligible);
  EXPECT_TRUE(Row(rows, "aten::mm").tensor_core_eligible);
  EXPECT_TRUE(Row(rows, "custom::gemm").tensor_core_eligible);
  EXPECT_FALSE(Row(rows, "aten::relu").tensor_core_eligible);
  EXPECT_DOUBLE_EQ(Row(rows, "custom::gemm").tensor_core_self_share.value(), 0.75);
  EXPECT_DOUBLE_EQ(Row(rows, "forward").tensor_core_total_share.value(), 0.75);
  EXPECT_EQ(Row(rows, "forward").tensor_core_self_share, std::nullopt);
  EXPECT_EQ(Row(rows, "aten::relu").tensor_core_total_share, std::nullopt);
}

TEST(Operators, SelectionTakesEventsThatStartInTheSteps) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Operator("aten::mm", 10, 20);
  b.Annotation("ProfilerStep#2", 100, 200);
  b.Operator("aten::mm", 110, 140);
  b.Operator("aten::mm", 120, 125, 9);
  AnalysisOptions options;
  options.first_step = options.last_step = 2;
  const std::vector<OperatorRow> rows = Describe(b, OperatorGrouping::kName, options);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(Row(rows, "aten::mm").calls, 2u);
  EXPECT_EQ(Row(rows, "aten::mm").host_total_ns, 35);
  EXPECT_EQ(Row(rows, "ProfilerStep#2").host_self_ns, 70);
}

TEST(Operators, MemoryAgreesWithTheDefinitionOnRandomEvents) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    TraceBuilder b;
    for (int n = 0; n < 12; ++n) {
      const auto start = static_cast<int64_t>(random() % 20);
      const int64_t end = start + static_cast<int64_t>(random() % 15);
      if (random() % 4 == 0) {
        b.Runtime("call", start, end);
      } else {
        b.Operator("op" + std::to_string(n), start, end);
      }
    }
    for (int n = 0; n < 8; ++n) b.Memory(static_cast<int64_t>(random() % 36), 1 << n);
    const Trace& trace = b.trace();
    Diagnostics diagnostics;
    const HostTree tree = BuildHostTree(trace, 1, diagnostics);
    const Column<NodeId> enclosing = EnclosingOperators(trace, tree);
    const std::vector<OperatorRow> rows = Describe(b);
    auto inside = [&](NodeId node, size_t m) {
      const SpanRow row = tree.span[node];
      return trace.spans.start_ns[row] <= trace.memory.time_ns[m] &&
             trace.memory.time_ns[m] <= trace.spans.end_ns(row);
    };
    for (NodeId node = 0; node < tree.size(); ++node) {
      if (trace.spans.category[tree.span[node]] == Category::kRuntime) continue;
      int64_t total = 0;
      int64_t own = 0;
      for (size_t m = 0; m < trace.memory.size(); ++m) {
        if (!inside(node, m)) continue;
        total += trace.memory.bytes[m];
        bool in_child = false;
        for (NodeId child = 0; child < tree.size(); ++child) {
          if (trace.spans.category[tree.span[child]] == Category::kRuntime) continue;
          in_child |= enclosing[child] == node && inside(child, m);
        }
        if (!in_child) own += trace.memory.bytes[m];
      }
      const OperatorRow& row = Row(rows, trace.NameOfSpan(tree.span[node]));
      ASSERT_EQ(row.memory_total_bytes, total);
      ASSERT_EQ(row.memory_self_bytes, own);
    }
  }
}

}  // namespace
}  // namespace telltale
