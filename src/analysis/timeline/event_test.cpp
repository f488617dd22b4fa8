// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/core/python_tree.h"
#include "analysis/timeline/open_boxes.h"
#include "analysis/timeline/timeline_fixture.h"

namespace telltale {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

EventDetails Describe(TraceBuilder& builder, SpanRow row) {
  const TimelineFixture timeline(builder.trace());
  return DescribeEvent(timeline.contexts(), timeline.index(), 0, row);
}

std::vector<std::string> Arrows(const EventDetails& details) {
  std::vector<std::string> texts;
  for (const EventArrow& arrow : details.arrows) {
    texts.push_back(std::string(arrow.kind) + " " + std::to_string(arrow.from) + ">" +
                    std::to_string(arrow.to));
  }
  return texts;
}

TEST(TimelineEvent, OperatorWithChildrenAndKernels) {
  TraceBuilder builder;
  const SpanRow step = builder.Annotation("ProfilerStep#4", 0, 1000);
  const SpanRow op = builder.Operator("aten::linear", 100, 500);
  const SpanRow inner = builder.Operator("aten::addmm", 150, 450);
  const SpanRow call = builder.Runtime("cudaLaunchKernel", 200, 250, 9);
  const SpanRow kernel = builder.Kernel("gemm", 600, 900, 9);
  builder.Kernel("elsewhere", 950, 960, 10);
  builder.Python("/site-packages/torch/nn/modules/linear.py(114): forward", 90, 510);
  const SpanRow main = builder.Python("train.py(12): main", 0, 1000);

  const EventDetails details = Describe(builder, op);
  EXPECT_EQ(details.depth, 1U);
  EXPECT_EQ(details.self_ns, 100);
  EXPECT_EQ(details.step, "4");
  EXPECT_THAT(details.parents, ElementsAre(step));
  EXPECT_EQ(details.child_count, 1U);
  EXPECT_THAT(details.children, ElementsAre(inner));
  EXPECT_EQ(details.launched_count, 1U);
  EXPECT_EQ(details.launched_ns, 300);
  EXPECT_THAT(details.launched, ElementsAre(kernel));
  EXPECT_THAT(Arrows(details),
              ElementsAre("launch " + std::to_string(call) + ">" + std::to_string(kernel)));
  ASSERT_EQ(details.stack.size(), 2U);
  EXPECT_EQ(details.stack[0].name, "forward");
  EXPECT_EQ(details.stack[0].line, 114);
  EXPECT_EQ(details.stack[1].row, main);
  ASSERT_TRUE(details.source.has_value());
  EXPECT_EQ(details.source->file, "train.py");
  EXPECT_EQ(details.source->line, 12);
}

TEST(TimelineEvent, KernelKnowsItsLaunch) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#4", 0, 500);
  const SpanRow op = builder.Operator("aten::addmm", 150, 450);
  const SpanRow call = builder.Runtime("cudaLaunchKernel", 200, 250, 9);
  const SpanRow kernel = builder.Kernel("gemm", 600, 900, 9);
  const SpanRow orphan = builder.Kernel("orphan", 600, 700, 77);
  const SpanRow frame = builder.Python("train.py(12): main", 0, 1000);
  const EventDetails details = Describe(builder, kernel);
  EXPECT_EQ(details.launch, call);
  EXPECT_EQ(details.launching_operator, op);
  EXPECT_EQ(details.step, "4");
  EXPECT_THAT(details.parents, IsEmpty());
  ASSERT_EQ(details.stack.size(), 1U);
  EXPECT_EQ(details.stack[0].row, frame);
  EXPECT_THAT(Arrows(details),
              ElementsAre("launch " + std::to_string(call) + ">" + std::to_string(kernel)));
  const EventDetails alone = Describe(builder, orphan);
  EXPECT_EQ(alone.launch, kNoRow);
  EXPECT_FALSE(alone.step.has_value());
  EXPECT_THAT(alone.stack, IsEmpty());
}

TEST(TimelineEvent, ForwardAndBackwardAndOtherFlows) {
  TraceBuilder builder;
  const SpanRow forward = builder.Operator("aten::mul", 100, 200, 1);
  const SpanRow backward =
      builder.Operator("autograd::engine::evaluate_function: MulBackward0", 500, 700, 2);
  const SpanRow inner = builder.Operator("MulBackward0", 510, 690, 2);
  builder.Flow("fwdbwd", 3, FlowPhase::kStart, 100, 1);
  builder.Flow("fwdbwd", 3, FlowPhase::kEnd, 500, 2);
  const SpanRow sender = builder.Operator("send", 300, 350, 1);
  const SpanRow receiver = builder.Operator("receive", 800, 900, 2);
  builder.Flow("rpc", 3, FlowPhase::kStart, 310, 1);
  builder.Flow("rpc", 3, FlowPhase::kEnd, 800, 2);
  const std::string pair =
      "forward_backward " + std::to_string(forward) + ">" + std::to_string(backward);
  EXPECT_THAT(Arrows(Describe(builder, forward)), ElementsAre(pair));
  EXPECT_THAT(Arrows(Describe(builder, backward)), ElementsAre(pair));
  EXPECT_THAT(Arrows(Describe(builder, inner)), ElementsAre(pair));
  const std::string flow = "rpc " + std::to_string(sender) + ">" + std::to_string(receiver);
  EXPECT_THAT(Arrows(Describe(builder, sender)), ElementsAre(flow));
  EXPECT_THAT(Arrows(Describe(builder, receiver)), ElementsAre(flow));
}

TEST(TimelineEvent, TakesTheOperatorsOwnStackText) {
  TraceBuilder builder;
  const SpanRow outer = builder.Operator("aten::linear", 0, 100);
  const SpanRow inner = builder.Operator("aten::addmm", 10, 90);
  builder.OperatorDetailOf(outer).call_stack =
      builder.Text("model.py(7): forward;\ntrain.py(30): main");
  const EventDetails details = Describe(builder, inner);
  ASSERT_EQ(details.stack.size(), 2U);
  EXPECT_EQ(details.stack[0].name, "forward");
  EXPECT_EQ(details.stack[1].file, "train.py");
  EXPECT_EQ(details.stack[1].line, 30);
  EXPECT_EQ(details.stack[1].row, kNoRow);
}

// The chain found from the rows alone is the one that the tree of the whole thread has.
TEST(TimelineEvent, ParentsAreThoseOfTheTree) {
  TestRandom random(3);
  TraceBuilder builder;
  for (int i = 0; i < 3000; ++i) {
    const auto start = static_cast<int64_t>(random.Below(5000));
    builder.Python("f", start, start + static_cast<int64_t>(random.Below(400)));
  }
  const TimelineFixture timeline(builder.trace());
  const PythonTree tree = BuildPythonTree(builder.trace());
  for (NodeId node = 0; node < tree.size(); ++node) {
    const std::vector<SpanRow> parents =
        ParentsOf(builder.trace(), timeline.index().files()[0].rows, tree.span[node]);
    const NodeId parent = tree.parent[node];
    ASSERT_EQ(parents.empty(), parent == kNoRow);
    if (parent != kNoRow) {
      EXPECT_EQ(parents[0], tree.span[parent]);
    }
  }
}

}  // namespace
}  // namespace telltale
