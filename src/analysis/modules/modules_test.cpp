// SPDX-License-Identifier: Apache-2.0
#include "analysis/modules/modules.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

class Modules : public testing::Test {
 protected:
  void Link(uint64_t id, int64_t forward, int64_t backward, int64_t backward_tid) {
    builder_.Flow("fwdbwd", id, FlowPhase::kStart, forward, 1);
    builder_.Flow("fwdbwd", id, FlowPhase::kEnd, backward, backward_tid);
  }
  ModuleReport Describe(const AnalysisOptions& options = {}) {
    const TraceContext context = PrepareTrace(builder_.trace(), options);
    ModuleReport report = DescribeModules(context);
    // The rows must sum to the whole, whatever the trace.
    int64_t device = 0;
    for (size_t i = 0; i < context.links.size(); ++i) {
      if (context.selection.HasDeviceEvent(context.trace, context.tree, context.links, i)) {
        device += context.trace.spans.duration_ns[context.links.device[i]];
      }
    }
    int64_t sum = 0;
    int64_t host_sum = 0;
    for (const ModuleRow& row : report.rows) {
      sum += row.device_self_ns;
      host_sum += row.host_self_ns;
    }
    EXPECT_EQ(sum, report.rows.empty() ? 0 : device);
    EXPECT_EQ(report.device_ns, sum);
    EXPECT_EQ(report.host_ns, host_sum);
    return report;
  }
  static std::string Paths(const ModuleReport& report) {
    std::string text;
    for (const ModuleRow& row : report.rows) text += std::string(row.depth, '-') + row.path + "\n";
    return text;
  }
  static const ModuleRow& At(const ModuleReport& report, std::string_view path) {
    for (const ModuleRow& row : report.rows) {
      if (row.path == path) return row;
    }
    ADD_FAILURE() << "no row " << path;
    return report.rows.front();
  }
  TraceBuilder builder_;
};

TEST_F(Modules, ForwardAndBackwardGoToTheModule) {
  builder_.Annotation("ProfilerStep#1", 0, 1000);
  builder_.Python("nn.Module: Net_0", 100, 400);
  builder_.Python("nn.Module: Linear_0", 150, 250);
  builder_.Operator("aten::addmm", 160, 240);
  builder_.Runtime("cudaLaunchKernel", 170, 180, 1);
  builder_.Operator("aten::add", 300, 350);  // Net's own
  builder_.Runtime("cudaLaunchKernel", 310, 320, 2);
  builder_.Operator("aten::mse_loss", 450, 500);
  builder_.Runtime("cudaLaunchKernel", 460, 470, 3);
  builder_.Operator("autograd::engine::evaluate_function: AddmmBackward0", 600, 640, 2);
  builder_.Operator("AddmmBackward0", 605, 635, 2);
  builder_.Runtime("cudaLaunchKernel", 610, 620, 4, 2);
  builder_.Operator("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 640,
                    650, 2);
  builder_.Runtime("cudaLaunchKernel", 641, 645, 5, 2);
  builder_.Operator("Optimizer.step#SGD.step", 700, 800);
  builder_.Runtime("cudaLaunchKernel", 710, 720, 6);
  for (uint64_t i = 1; i <= 6; ++i) {
    const auto start = static_cast<int64_t>(1000 + 100 * i);
    builder_.Kernel("k", start, start + (int64_t{1} << i), i);
  }
  builder_.Kernel("without a launch", 5000, 5128, 77);
  Link(1, 160, 605, 2);

  const ModuleReport report = Describe();
  EXPECT_EQ(Paths(report), "Net_0\n-Net_0.Linear_0\n(outside of modules)\n");
  const ModuleRow& net = report.rows[0];
  EXPECT_EQ(net.class_name, "Net");
  EXPECT_EQ(net.calls, 1U);
  EXPECT_EQ(net.forward.device_self_ns, 4);
  EXPECT_EQ(net.forward.device_total_ns, 6);
  EXPECT_EQ(net.backward.device_self_ns, 0);
  EXPECT_EQ(net.backward.device_total_ns, 16 + 32);
  EXPECT_EQ(net.device_total_ns, 54);
  EXPECT_EQ(net.forward.host_total_ns, 300);
  EXPECT_EQ(net.forward.host_self_ns, 200);
  EXPECT_EQ(net.forward.frame_self_ns, 150);
  EXPECT_EQ(net.forward.operators, 1U);
  const ModuleRow& linear = report.rows[1];
  EXPECT_EQ(linear.parent, 0U);
  EXPECT_EQ(linear.forward.host_self_ns, 100);
  EXPECT_EQ(linear.forward.frame_self_ns, 20);
  EXPECT_EQ(linear.backward.host_self_ns, 50);
  EXPECT_EQ(linear.backward.operators, 2U);
  EXPECT_EQ(linear.backward.device_self_ns, 48);
  const ModuleRow& outside = report.rows[2];
  EXPECT_TRUE(outside.outside());
  EXPECT_EQ(outside.device_self_ns, 8 + 64 + 128);
  EXPECT_EQ(outside.forward.host_self_ns, 1000 - 300);
  EXPECT_EQ(report.host_ns, 1000 + 50);  // the two threads' outermost events
  EXPECT_EQ(report.device_ns, 2 + 4 + 8 + 16 + 32 + 64 + 128);
}

TEST_F(Modules, OneRowPerInstanceAndPlace) {
  for (const int64_t step : {0, 1000}) {
    builder_.Python("nn.Module: Net_0", step + 0, step + 100);
    builder_.Python("nn.Module: Block_0", step + 10, step + 50);
    builder_.Python("nn.Module: ReLU_0", step + 20, step + 30);
    builder_.Python("nn.Module: ReLU_0", step + 30, step + 40);
    builder_.Python("nn.Module: ReLU_0", step + 60, step + 70);  // shared: at another place
  }
  const ModuleReport report = Describe();
  EXPECT_EQ(Paths(report),
            "Net_0\n-Net_0.Block_0\n--Net_0.Block_0.ReLU_0\n-Net_0.ReLU_0\n"
            "(outside of modules)\n");
  EXPECT_EQ(report.rows[2].calls, 4U);
  EXPECT_EQ(report.rows[3].calls, 2U);
  const std::vector<ModuleRow> classes = ModulesByClass(report);
  ASSERT_EQ(classes.size(), 4U);
  EXPECT_EQ(classes[2].name, "ReLU");
  EXPECT_EQ(classes[2].calls, 6U);
  EXPECT_EQ(classes[2].host_self_ns, 60);
}

TEST_F(Modules, ModuleIdsTellInstancesApart) {
  for (const int32_t id : {0, 1}) {
    const SpanRow row = builder_.Python("nn.Module: Linear", 100 * id, 100 * id + 50);
    builder_.trace().python_details[builder_.trace().spans.detail[row]].module_id = id;
  }
  const ModuleReport report = Describe();
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[0].module_id, 0);
  EXPECT_EQ(report.rows[1].module_id, 1);
}

TEST_F(Modules, RecomputationCountsAtTheModulesPlace) {
  builder_.Python("nn.Module: Net_0", 100, 400);
  builder_.Python("nn.Module: Block_0", 150, 250);
  builder_.Python("nn.Module: Linear_0", 160, 240);
  builder_.Operator("aten::addmm", 170, 180);
  builder_.Operator("autograd::engine::evaluate_function: AddmmBackward0", 600, 700, 2);
  builder_.Operator("AddmmBackward0", 605, 695, 2);
  builder_.Python("nn.Module: Block_0", 610, 660, 2);
  builder_.Python("nn.Module: Linear_0", 620, 650, 2);
  builder_.Operator("aten::addmm", 625, 635, 2);
  builder_.Runtime("cudaLaunchKernel", 626, 630, 1, 2);
  builder_.Kernel("k", 800, 810, 1);
  Link(1, 170, 605, 2);
  const ModuleReport report = Describe();
  EXPECT_EQ(Paths(report),
            "Net_0\n-Net_0.Block_0\n--Net_0.Block_0.Linear_0\n(outside of modules)\n");
  const ModuleRow& block = report.rows[1];
  EXPECT_EQ(block.calls, 1U);
  EXPECT_EQ(block.recomputed_calls, 1U);
  EXPECT_EQ(block.backward.host_self_ns, 20);
  const ModuleRow& linear = report.rows[2];
  EXPECT_EQ(linear.backward.host_self_ns, 30 + (100 - 50));
  EXPECT_EQ(linear.backward.frame_self_ns, 20);
  EXPECT_EQ(linear.backward.device_self_ns, 10);
  EXPECT_EQ(report.rows[3].host_self_ns, 0);
  EXPECT_EQ(report.host_ns, 300 + 100);
}

TEST_F(Modules, LightningNamesArePaths) {
  builder_.Annotation("[pl][module]torch.nn.modules.container.Sequential: net", 10, 110);
  builder_.Annotation("[pl][module]torch.nn.modules.linear.Linear: net.1", 20, 60);
  builder_.Operator("aten::linear", 30, 50);
  builder_.Operator("aten::mse_loss", 200, 210);
  const ModuleReport report = Describe();
  EXPECT_EQ(Paths(report), "net\n-net.1\n(outside of modules)\n");
  EXPECT_EQ(report.rows[1].class_name, "Linear");
  EXPECT_EQ(report.rows[1].name, "net.1");
  EXPECT_EQ(report.rows[1].calls, 1U);
  EXPECT_EQ(report.rows[1].forward.host_self_ns, 40);
  EXPECT_EQ(report.rows[1].forward.frame_self_ns, 20);
  EXPECT_EQ(report.rows[0].forward.frame_self_ns, 60);
  EXPECT_EQ(report.rows[0].host_total_ns, 100);
  EXPECT_EQ(report.rows[2].host_self_ns, 10);
}

TEST_F(Modules, FrameAndAnnotationOfOneCallCountOnce) {
  builder_.Python("nn.Module: Linear_0", 10, 110);
  builder_.Annotation("[pl][module]torch.nn.modules.linear.Linear: net.1", 20, 100);
  builder_.Operator("aten::linear", 30, 50);
  const ModuleReport report = Describe();
  EXPECT_EQ(Paths(report), "net.1\n(outside of modules)\n");
  EXPECT_EQ(report.rows[0].calls, 1U);
  EXPECT_EQ(report.rows[0].forward.host_self_ns, 100);
  EXPECT_EQ(report.rows[0].forward.frame_self_ns, 80);
}

TEST_F(Modules, OnlySelectedStepsCount) {
  for (const int64_t i : {0, 1, 2}) {
    const int64_t at = i * 1000;
    builder_.Annotation("ProfilerStep#" + std::to_string(i), at, at + 900);
    builder_.Python("nn.Module: Net_0", at + 100, at + 200);
    builder_.Operator("aten::mul", at + 110, at + 150);
    builder_.Runtime("cudaLaunchKernel", at + 120, at + 130, static_cast<uint64_t>(i));
    builder_.Kernel("k", at + 300, at + 310 + i, static_cast<uint64_t>(i));
  }
  AnalysisOptions options;
  options.first_step = 1;
  options.last_step = 2;
  const ModuleReport report = Describe(options);
  EXPECT_EQ(report.rows[0].calls, 2U);
  EXPECT_EQ(report.rows[0].forward.operators, 2U);
  EXPECT_EQ(report.rows[0].host_total_ns, 200);
  EXPECT_EQ(report.device_ns, 11 + 12);
  EXPECT_EQ(report.host_ns, 1800);
}

TEST_F(Modules, UnlinkedBackwardWorkIsOutside) {
  builder_.Python("nn.Module: Net_0", 100, 200);
  builder_.Operator("aten::mul", 110, 150);
  builder_.Operator("MulBackward0", 300, 310, 2);
  const ModuleReport report = Describe();
  EXPECT_EQ(At(report, "(outside of modules)").backward.host_self_ns, 10);
  EXPECT_EQ(report.rows[0].backward.host_self_ns, 0);
}

TEST_F(Modules, GradientsOfGradientsFollowTheChain) {
  builder_.Python("nn.Module: Net_0", 100, 200);
  builder_.Operator("aten::mul", 110, 150);
  builder_.Operator("MulBackward0", 300, 320, 2);
  builder_.Operator("aten::mul", 305, 310, 2);
  builder_.Operator("MulBackward0", 400, 430, 2);
  Link(1, 110, 300, 2);
  builder_.Flow("fwdbwd", 2, FlowPhase::kStart, 305, 2);
  builder_.Flow("fwdbwd", 2, FlowPhase::kEnd, 400, 2);
  EXPECT_EQ(Describe().rows[0].backward.host_self_ns, 20 + 30);
}

TEST_F(Modules, PlacesThatDependOnEachOtherEnd) {
  // A in B on one thread, B in A on another: neither is the place of the other.
  builder_.Python("nn.Module: A_0", 0, 100);
  builder_.Python("nn.Module: B_0", 10, 90);
  builder_.Python("nn.Module: B_0", 0, 100, 2);
  builder_.Python("nn.Module: A_0", 10, 90, 2);
  EXPECT_EQ(Paths(Describe()), "A_0\n-A_0.B_0\nB_0\n-B_0.A_0\n(outside of modules)\n");
}

TEST_F(Modules, DeepNestingStopsAtADepth) {
  constexpr int kDepth = 5000;
  for (int i = 0; i < kDepth; ++i) builder_.Python("nn.Module: M_0", i, 2 * kDepth - i);
  const ModuleReport report = Describe();
  EXPECT_EQ(report.rows.size(), 201U);
  EXPECT_EQ(report.host_ns, 2 * kDepth);
}

TEST_F(Modules, MergesFilesByPath) {
  builder_.Python("nn.Module: Net_0", 0, 100);
  builder_.Python("nn.Module: Linear_0", 10, 20);
  builder_.Operator("aten::mm", 12, 18);
  const ModuleReport one = Describe();
  builder_.Python("nn.Module: ReLU_0", 30, 50);
  const ModuleReport two = Describe();
  const ModuleReport reports[] = {one, two};
  const ModuleReport merged = MergeModules(reports);
  EXPECT_EQ(Paths(merged), "Net_0\n-Net_0.Linear_0\n-Net_0.ReLU_0\n(outside of modules)\n");
  EXPECT_EQ(merged.rows[0].host_total_ns, 200);
  EXPECT_EQ(merged.rows[1].calls, 2U);
  EXPECT_EQ(merged.rows[1].forward.operators, 2U);
  EXPECT_EQ(merged.host_ns, 200);
}

TEST_F(Modules, NothingWithoutModules) {
  builder_.Operator("aten::mm", 0, 10);
  EXPECT_TRUE(Describe().rows.empty());
}

}  // namespace
}  // namespace telltale
