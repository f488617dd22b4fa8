// SPDX-License-Identifier: Apache-2.0
#include "views/captured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string_view> PartsOf(TraceBuilder& builder) {
  std::vector<TraceContext> contexts;
  contexts.push_back(PrepareTrace(builder.trace(), {}));
  return CapturedIn(contexts);
}

class CapturedTest : public testing::Test {
 protected:
  std::vector<std::string_view> Parts() { return PartsOf(builder_); }
  TraceBuilder builder_;
};

TEST_F(CapturedTest, NothingInAnEmptyTrace) { EXPECT_THAT(Parts(), IsEmpty()); }

TEST_F(CapturedTest, AStepIsNoAnnotation) {
  builder_.Annotation("ProfilerStep#1", 0, 100);
  EXPECT_THAT(Parts(), ElementsAre("steps"));
  builder_.Annotation("loss", 10, 20);
  EXPECT_THAT(Parts(), ElementsAre("steps", "annotations"));
}

TEST_F(CapturedTest, ShapesAndStacksAreAtOperators) {
  const SpanRow row = builder_.Operator("aten::mm", 0, 10);
  EXPECT_THAT(Parts(), ElementsAre("operators"));
  builder_.OperatorDetailOf(row).input_dims = builder_.Text("[[2,2]]");
  EXPECT_THAT(Parts(), ElementsAre("operators", "shapes"));
  builder_.OperatorDetailOf(row).call_stack = builder_.Text("train.py(3): main");
  EXPECT_THAT(Parts(), ElementsAre("operators", "shapes", "stacks"));
}

TEST_F(CapturedTest, ModulesAreFramesOrAnnotationsOfLightning) {
  builder_.Python("train.py(3): main", 0, 10);
  EXPECT_THAT(Parts(), ElementsAre("python"));
  builder_.Python("nn.Module: Linear_0", 1, 5);
  EXPECT_THAT(Parts(), ElementsAre("python", "modules"));
  TraceBuilder lightning;
  lightning.Annotation("[pl][module]torch.nn.modules.linear.Linear: net.1", 0, 5);
  EXPECT_THAT(PartsOf(lightning), ElementsAre("modules", "annotations"));
}

TEST_F(CapturedTest, CommunicationIsARangeOrAKernel) {
  builder_.Kernel("volta_sgemm", 0, 10);
  EXPECT_THAT(Parts(), ElementsAre("device_events"));
  builder_.Kernel("ncclDevKernel_AllReduce_Sum", 20, 30);
  EXPECT_THAT(Parts(), ElementsAre("device_events", "communication"));
  TraceBuilder ranges;
  ranges.Annotation("gloo:all_reduce", 0, 5);
  ranges.Memory(1, 512);
  EXPECT_THAT(PartsOf(ranges), ElementsAre("memory", "communication", "annotations"));
}

}  // namespace
}  // namespace telltale
