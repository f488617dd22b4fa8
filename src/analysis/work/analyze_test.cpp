// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/analyze.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

// Two steps of a small training loop; kernels last `scale` times as long as launches.
void Fill(TraceBuilder& b, int64_t scale) {
  uint64_t correlation = 1;
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t t = 1000 * i;
    b.Annotation("ProfilerStep#" + std::to_string(i), t, t + 1000);
    const SpanRow mm = b.Operator("aten::mm", t + 100, t + 200);
    b.OperatorDetailOf(mm).input_dims = b.Text("[[2,3],[3,4]]");
    b.Runtime("cudaLaunchKernel", t + 120, t + 130, correlation);
    const SpanRow kernel = b.Kernel("gemm", t + 200, t + 200 + 10 * scale, correlation++);
    b.DeviceDetailOf(kernel).blocks_per_sm = static_cast<double>(scale);
    b.DeviceDetailOf(kernel).grid[0] = 8;
    b.DeviceDetailOf(kernel).grid[1] = b.DeviceDetailOf(kernel).grid[2] = 1;
    b.Runtime("cudaMemcpyAsync", t + 300, t + 310, correlation);
    b.DeviceDetailOf(b.Memcpy("Memcpy HtoD (Pinned -> Device)", t + 400, t + 410, correlation++))
        .bytes = 100;
    b.Python("frame", t + 50, t + 250);
  }
}

TEST(Analyze, FillsEverySection) {
  TraceBuilder b;
  Fill(b, 2);
  const ProfileReport report = AnalyzeTrace(b.trace(), {});
  EXPECT_EQ(report.steps.rows.size(), 2u);
  EXPECT_EQ(report.devices.size(), 1u);
  ASSERT_EQ(report.operators.size(), 3u);
  EXPECT_EQ(report.operators[0].name, "aten::mm");
  EXPECT_EQ(report.operators[0].device_self_ns, 40);
  EXPECT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.copies.size(), 1u);
  EXPECT_EQ(report.kernel_total_ns, 40);
  EXPECT_EQ(report.host_self_total_ns, 2 * (1000 - 20));  // all but the runtime calls
  EXPECT_TRUE(report.diagnostics.empty());
}

TEST(Analyze, ThreadsDoNotChangeTheResult) {
  TraceBuilder b;
  Fill(b, 2);
  AnalysisOptions one;
  one.threads = 1;
  AnalysisOptions two;
  two.threads = 2;
  const ProfileReport a = AnalyzeTrace(b.trace(), one);
  const ProfileReport c = AnalyzeTrace(b.trace(), two);
  ASSERT_EQ(a.operators.size(), c.operators.size());
  for (size_t i = 0; i < a.operators.size(); ++i) {
    EXPECT_EQ(a.operators[i].name, c.operators[i].name);
    EXPECT_EQ(a.operators[i].host_self_ns, c.operators[i].host_self_ns);
  }
  EXPECT_EQ(a.steps.average, c.steps.average);
}

TEST(Analyze, OptionsChooseGroupingAndRules) {
  TraceBuilder b;
  Fill(b, 2);
  AnalysisOptions options;
  options.operators = OperatorGrouping::kShape;
  options.kernels = KernelGrouping::kLaunch;
  const ProfileReport report = AnalyzeTrace(b.trace(), options);
  EXPECT_EQ(report.operators[0].input_shapes, "[[2,3],[3,4]]");
  EXPECT_EQ(report.kernels[0].grid, "[8, 1, 1]");
  options.like_torch = true;
  const ProfileReport torch = AnalyzeTrace(b.trace(), options);
  EXPECT_EQ(torch.operators.size(), 2u);  // aten::mm and ProfilerStep*
}

TEST(Analyze, EmptyTraceGivesAnEmptyReport) {
  TraceBuilder b;
  const ProfileReport report = AnalyzeTrace(b.trace(), {});
  EXPECT_TRUE(report.steps.rows.empty());
  EXPECT_TRUE(report.operators.empty());
  EXPECT_TRUE(report.devices.empty());
}

TEST(MergeReports, SumsEqualRowsAndListsStepsAndDevices) {
  TraceBuilder first;
  Fill(first, 2);
  TraceBuilder second;
  Fill(second, 4);
  second.Operator("aten::relu", 600, 650);
  second.Kernel("other", 700, 900, 1);
  std::array<ProfileReport, 2> reports = {AnalyzeTrace(first.trace(), {}),
                                          AnalyzeTrace(second.trace(), {})};
  const ProfileReport all = MergeReports(reports);

  ASSERT_EQ(all.steps.rows.size(), 4u);
  EXPECT_EQ(all.steps.rows[3].file, 1u);
  EXPECT_EQ(all.steps.average_ns, 1000);
  ASSERT_EQ(all.devices.size(), 2u);
  EXPECT_EQ(all.devices[1].file, 1u);

  ASSERT_EQ(all.kernels.size(), 2u);
  EXPECT_EQ(all.kernels[0].name, "other");
  EXPECT_EQ(all.kernels[1].calls, 4u);
  EXPECT_EQ(all.kernels[1].total_ns, 120);
  EXPECT_EQ(all.kernels[1].mean_ns, 30);
  EXPECT_EQ(all.kernels[1].min_ns, 20);
  EXPECT_EQ(all.kernels[1].max_ns, 40);
  EXPECT_EQ(all.kernels[1].op, "aten::mm");
  EXPECT_DOUBLE_EQ(all.kernels[1].mean_blocks_per_sm.value(), (2 * 40 + 4 * 80) / 120.0);

  EXPECT_EQ(all.operators[0].name, "aten::mm");
  EXPECT_EQ(all.operators[0].calls, 4u);
  EXPECT_EQ(all.operators[0].flops, 4 * 48);
  EXPECT_EQ(all.operators[0].memory_total_bytes, std::nullopt);
  EXPECT_EQ(all.operators.size(), 4u);
  EXPECT_EQ(all.copies[0].bytes, 400);
  EXPECT_DOUBLE_EQ(all.copies[0].bandwidth_gb_per_s.value(), 10);
  EXPECT_EQ(all.kernel_total_ns, 320);
}

TEST(MergeReports, KeepsLaunchConfigurationsApart) {
  AnalysisOptions options;
  options.kernels = KernelGrouping::kLaunch;
  TraceBuilder first;
  Fill(first, 2);
  TraceBuilder second;
  Fill(second, 2);
  for (DeviceDetail& detail : second.trace().device_details) detail.grid[0] = 16;
  std::array<ProfileReport, 2> reports = {AnalyzeTrace(first.trace(), options),
                                          AnalyzeTrace(second.trace(), options)};
  EXPECT_EQ(MergeReports(reports).kernels.size(), 2u);
}

TEST(MergeReports, OfNothingIsEmpty) { EXPECT_TRUE(MergeReports({}).operators.empty()); }

}  // namespace
}  // namespace telltale
