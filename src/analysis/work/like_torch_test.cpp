// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/like_torch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

std::vector<OperatorRow> Describe(TraceBuilder& builder,
                                  OperatorGrouping grouping = OperatorGrouping::kName) {
  const Trace& trace = builder.trace();
  Diagnostics diagnostics;
  const HostTree tree = BuildHostTree(trace, 1, diagnostics);
  const DeviceLinks links = LinkDeviceEvents(trace, tree, diagnostics);
  return DescribeOperatorsLikeTorch(trace, tree, links, Selection(), grouping);
}

const OperatorRow& Row(const std::vector<OperatorRow>& rows, std::string_view name) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const OperatorRow& r) { return r.name == name; });
  EXPECT_NE(at, rows.end()) << name;
  return *at;
}

bool Has(const std::vector<OperatorRow>& rows, std::string_view name) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const OperatorRow& r) { return r.name == name; });
}

TEST(LikeTorch, PythonFramesTakeSelfTimeButHaveNoRow) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#3", 0, 100);
  b.Python("train.py(3): main", 10, 60);
  b.Operator("aten::mm", 20, 50);
  b.Runtime("cudaLaunchKernel", 30, 40, 1);
  const std::vector<OperatorRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(Row(rows, "ProfilerStep*").host_self_ns, 50);
  EXPECT_EQ(Row(rows, "aten::mm").host_self_ns, 30);
}

TEST(LikeTorch, HidesBookkeepingOperators) {
  TraceBuilder b;
  b.Operator("aten::mm", 0, 100);
  b.Operator("aten::is_leaf", 10, 20);
  b.Operator("profiler::_record_function_exit", 30, 40);
  const std::vector<OperatorRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host_self_ns, 100);
}

TEST(LikeTorch, JoinsOverloadsKindsAndSteps) {
  TraceBuilder b;
  b.Operator("aten::add.Tensor", 0, 10);
  b.Operator("aten::add", 10, 20);
  b.Annotation("Optimizer.step#SGD.step", 20, 30);
  b.Annotation("x::y.z", 30, 40);
  b.Operator("autograd::engine::evaluate_function: a.b", 40, 50);
  b.Annotation("ProfilerStep#1", 50, 60);
  b.Annotation("ProfilerStep#2", 60, 70);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(Row(rows, "aten::add").calls, 2u);
  EXPECT_EQ(Row(rows, "ProfilerStep*").calls, 2u);
  EXPECT_TRUE(Has(rows, "Optimizer.step#SGD.step"));
  EXPECT_TRUE(Has(rows, "x::y.z"));
  EXPECT_TRUE(Has(rows, "autograd::engine::evaluate_function: a.b"));
  EXPECT_EQ(rows.size(), 5u);
}

TEST(LikeTorch, FoldsByNameAlone) {
  TraceBuilder b;
  b.Annotation("x", 0, 100);
  b.Operator("x", 10, 90);
  b.Operator("y", 20, 30);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(Row(rows, "x").calls, 1u);
  EXPECT_EQ(Row(rows, "x").host_self_ns, 90);
  EXPECT_EQ(Row(rows, "x").kind, OperatorKind::kAnnotation);
}

TEST(LikeTorch, MemoryIsHostMemoryOfAllThreads) {
  TraceBuilder b;
  b.Operator("outer", 0, 100);
  b.Operator("inner", 10, 50);
  b.Memory(20, 8, 2);
  b.Memory(30, 1000, 1, 1);  // device memory
  b.Memory(60, 16);
  b.Memory(200, 32);
  b.Memory(300, 64, 1, 1);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(Row(rows, "outer").memory_total_bytes, 24);
  EXPECT_EQ(Row(rows, "outer").memory_self_bytes, 16);
  EXPECT_EQ(Row(rows, "inner").memory_total_bytes, 8);
  EXPECT_EQ(Row(rows, "[memory]").calls, 2u);
  EXPECT_EQ(Row(rows, "[memory]").memory_self_bytes, 32);
}

TEST(LikeTorch, UnfinishedRangesRunToTheEndOfTheWindowWithoutSelfTime) {
  TraceBuilder b;
  b.Operator("before", 0, 10);
  b.OperatorDetailOf(b.Annotation("open", 20, 90)).finished = false;
  b.Operator("inside", 30, 40);
  b.Add("Trace", "PyTorch Profiler (0)", 0, 120, b.Track(1, 1));
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(Row(rows, "open").host_total_ns, 100);
  EXPECT_EQ(Row(rows, "open").host_self_ns, 0);
  EXPECT_EQ(Row(rows, "inside").host_self_ns, 10);
}

TEST(LikeTorch, ShapesShowTensorListsAsEmpty) {
  TraceBuilder b;
  auto add = [&](const char* dims, int64_t start) {
    const SpanRow row = b.Operator("aten::cat", start, start + 1);
    if (dims != nullptr) b.OperatorDetailOf(row).input_dims = b.Text(dims);
  };
  add("[[[2,3],[4,3]],[],[5]]", 0);
  add("[[],[],[5]]", 10);
  add(nullptr, 20);
  add("[[[2", 30);  // damaged
  const std::vector<OperatorRow> rows = Describe(b, OperatorGrouping::kShape);
  EXPECT_EQ(rows[0].input_shapes, "[[],[],[5]]");
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[1].input_shapes, "[]");
  EXPECT_EQ(rows.size(), 3u);
}

TEST(LikeTorch, BackwardOperatorsHaveTheStackOfTheirForwardOperator) {
  TraceBuilder b;
  const SpanRow forward = b.Operator("aten::mul", 0, 10);
  b.OperatorDetailOf(forward).sequence_number = 5;
  b.OperatorDetailOf(forward).call_stack =
      b.Text("a;torch/autograd/__init__.py(1): backward;;b;c;d;e;f");
  const SpanRow backward = b.Operator("MulBackward0", 20, 40, 2);
  b.OperatorDetailOf(backward).sequence_number = 5;
  b.OperatorDetailOf(backward).forward_thread = 1;
  b.OperatorDetailOf(backward).call_stack = b.Text("never shown");
  b.Operator("aten::neg", 25, 30, 2);
  const SpanRow orphan = b.Operator("AddBackward0", 50, 60, 2);
  b.OperatorDetailOf(orphan).sequence_number = 77;
  b.OperatorDetailOf(orphan).forward_thread = 1;
  b.OperatorDetailOf(orphan).call_stack = b.Text("never shown");
  const std::vector<OperatorRow> rows = Describe(b, OperatorGrouping::kStack);
  EXPECT_EQ(Row(rows, "aten::mul").stack, "a;b;c;d;e");
  EXPECT_EQ(Row(rows, "MulBackward0").stack, "a;b;c;d;e");
  EXPECT_EQ(Row(rows, "aten::neg").stack, "a;b;c;d;e");
  EXPECT_EQ(Row(rows, "AddBackward0").stack, "");
}

TEST(LikeTorch, FirstEventIsThePlaceInTorchsOrder) {
  TraceBuilder b;
  b.Operator("late", 50, 60);
  b.Operator("short", 0, 10, 2);
  b.Operator("long", 0, 20);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(Row(rows, "long").first_event, 0u);
  EXPECT_EQ(Row(rows, "short").first_event, 1u);
  EXPECT_EQ(Row(rows, "late").first_event, 2u);
}

TEST(LikeTorch, DeviceTimesFollowTheTree) {
  TraceBuilder b;
  b.Operator("aten::linear", 0, 100);
  b.Python("frame", 5, 95);
  b.Operator("aten::addmm", 10, 90);
  b.Runtime("cudaLaunchKernel", 20, 30, 1);
  b.Kernel("k", 50, 70, 1);
  const std::vector<OperatorRow> rows = Describe(b);
  EXPECT_EQ(Row(rows, "aten::linear").device_total_ns, 20);
  EXPECT_EQ(Row(rows, "aten::linear").device_self_ns, 0);
  EXPECT_EQ(Row(rows, "aten::addmm").device_self_ns, 20);
}

}  // namespace
}  // namespace telltale
