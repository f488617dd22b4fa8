// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/backward_links.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

class Backward : public testing::Test {
 protected:
  SpanRow Operator(std::string_view name, int64_t start, int64_t end, int64_t tid,
                   int64_t sequence = kNoInt, int64_t forward_thread = kNoInt) {
    const SpanRow row = builder_.Operator(name, start, end, tid);
    builder_.OperatorDetailOf(row).sequence_number = sequence;
    builder_.OperatorDetailOf(row).forward_thread = forward_thread;
    return row;
  }
  // "backward=forward<before" per backward operator, in the order of the result.
  std::string Links() {
    Diagnostics diagnostics;
    const Trace& trace = builder_.trace();
    const HostTree tree = BuildHostTree(trace, 1, diagnostics);
    const BackwardLinks links = LinkBackward(trace, tree);
    const auto name = [&](NodeId node) {
      return node == kNoRow ? std::string() : std::string(trace.NameOfSpan(tree.span[node]));
    };
    std::string text;
    for (size_t i = 0; i < links.backward.size(); ++i) {
      text += name(links.backward[i]) + "=" + name(links.forward[i]);
      if (links.produced_by[i] != kNoRow) text += "<" + name(links.produced_by[i]);
      text += "\n";
    }
    return text;
  }
  TraceBuilder builder_;
};

TEST_F(Backward, KnowsTheNamesOfEveryEra) {
  using enum BackwardName;
  EXPECT_EQ(BackwardNameOf("autograd::engine::evaluate_function: AddmmBackward0"), kEvaluate);
  EXPECT_EQ(BackwardNameOf("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"),
            kEvaluateAccumulate);
  EXPECT_EQ(BackwardNameOf("torch::autograd::AccumulateGrad"), kAccumulate);
  EXPECT_EQ(BackwardNameOf("struct torch::autograd::AccumulateGrad"), kAccumulate);
  EXPECT_EQ(BackwardNameOf("AddmmBackward"), kNode);
  EXPECT_EQ(BackwardNameOf("MeanBackward1"), kNode);
  EXPECT_EQ(BackwardNameOf("aten::convolution_backward"), kNone);
  EXPECT_EQ(BackwardNameOf("BackwardHook"), kNone);
}

TEST_F(Backward, FollowsFlowsToTheForwardOperator) {
  Operator("aten::addmm", 10, 20, 1);
  Operator("autograd::engine::evaluate_function: AddmmBackward0", 100, 130, 2);
  Operator("AddmmBackward0", 105, 120, 2);
  Operator("aten::mm", 106, 110, 2);
  builder_.Flow("fwdbwd", 4, FlowPhase::kStart, 10, 1);
  builder_.Flow("fwdbwd", 4, FlowPhase::kEnd, 105, 2);
  EXPECT_EQ(Links(), "autograd::engine::evaluate_function: AddmmBackward0=aten::addmm\n");
}

TEST_F(Backward, AFlowIdUsedTwiceLinksToTheLatestStart) {
  Operator("first", 10, 20, 1);
  Operator("second", 30, 40, 1);
  Operator("MulBackward0", 25, 28, 2);
  Operator("AddBackward0", 100, 130, 2);
  for (const auto& [start, end] : {std::pair(10, 25), std::pair(30, 100)}) {
    builder_.Flow("forward_backward", 4, FlowPhase::kStart, start, 1);
    builder_.Flow("forward_backward", 4, FlowPhase::kEnd, end, 2);
  }
  builder_.Flow("ac2g", 4, FlowPhase::kStart, 99, 1);
  EXPECT_EQ(Links(), "MulBackward0=first\nAddBackward0=second\n");
}

TEST_F(Backward, FallsBackToSequenceNumbers) {
  Operator("aten::linear", 10, 50, 1, 7, 0);
  Operator("aten::addmm", 20, 40, 1, 7, 0);
  Operator("aten::relu", 60, 70, 1, 8, 0);
  Operator("aten::addmm", 300, 310, 1, 7, 0);  // too late
  Operator("ReluBackward0", 100, 110, 2, 8, 1);
  Operator("AddmmBackward0", 110, 130, 2, 7, 1);
  Operator("OddBackward0", 140, 150, 2, 99, 1);
  EXPECT_EQ(Links(), "ReluBackward0=aten::relu\nAddmmBackward0=aten::addmm\nOddBackward0=\n");
}

TEST_F(Backward, DoesNotGuessBetweenForwardThreads) {
  Operator("on one", 10, 20, 1, 7, 0);
  Operator("on two", 10, 20, 2, 7, 0);
  Operator("MulBackward0", 100, 110, 3, 7, 5);
  EXPECT_EQ(Links(), "MulBackward0=\n");
  // A flow of the same forward thread tells which track that is.
  Operator("aten::relu", 30, 40, 2, 8, 0);
  Operator("ReluBackward0", 90, 95, 3, 8, 5);
  builder_.Flow("fwdbwd", 1, FlowPhase::kStart, 30, 2);
  builder_.Flow("fwdbwd", 1, FlowPhase::kEnd, 90, 3);
  EXPECT_EQ(Links(), "ReluBackward0=aten::relu\nMulBackward0=on two\n");
}

TEST_F(Backward, AccumulateGradFollowsWhatMadeTheGradient) {
  Operator("AddmmBackward0", 100, 110, 2);
  Operator("torch::autograd::AccumulateGrad", 110, 115, 2);
  Operator("torch::autograd::AccumulateGrad", 90, 95, 3);
  EXPECT_EQ(Links(),
            "torch::autograd::AccumulateGrad=\nAddmmBackward0=\n"
            "torch::autograd::AccumulateGrad=<AddmmBackward0\n");
}

TEST_F(Backward, EvaluateFunctionInsideAnotherStandsForItself) {
  Operator("autograd::engine::evaluate_function: CheckpointFunctionBackward", 100, 200, 2);
  Operator("CheckpointFunctionBackward", 101, 199, 2);
  Operator("autograd::engine::evaluate_function: MulBackward0", 150, 160, 2);
  EXPECT_EQ(Links(),
            "autograd::engine::evaluate_function: CheckpointFunctionBackward=\n"
            "autograd::engine::evaluate_function: MulBackward0=\n");
}

}  // namespace
}  // namespace telltale
