// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/devices.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

std::vector<DeviceRow> Describe(TraceBuilder& builder, const AnalysisOptions& options = {}) {
  const Trace& trace = builder.trace();
  Diagnostics diagnostics;
  const HostTree tree = BuildHostTree(trace, 1, diagnostics);
  const DeviceLinks links = LinkDeviceEvents(trace, tree, diagnostics);
  const NameFacts facts = FindNameFacts(trace, options.step_annotation);
  const Steps steps = FindSteps(trace, tree, links, facts, options, diagnostics);
  return DescribeDevices(trace, tree, links, facts, steps);
}

void SetLoad(TraceBuilder& builder, SpanRow kernel, double blocks_per_sm,
             double occupancy_percent) {
  builder.DeviceDetailOf(kernel).blocks_per_sm = blocks_per_sm;
  builder.DeviceDetailOf(kernel).occupancy_percent = occupancy_percent;
}

TEST(Devices, UtilizationIsTheUnionOfKernelsInTheWindow) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 100, 200);
  b.Kernel("a", 90, 120);
  b.Kernel("b", 110, 130, kNoUint, 0, 8);
  b.Kernel("c", 190, 250);
  b.Memcpy("Memcpy DtoD (Device -> Device)", 140, 180);
  const std::vector<DeviceRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kernel_count, 3u);
  EXPECT_DOUBLE_EQ(rows[0].utilization_share, 0.4);
  EXPECT_EQ(rows[0].sm_efficiency_share, std::nullopt);
  EXPECT_EQ(rows[0].achieved_occupancy_share, std::nullopt);
}

TEST(Devices, ConcurrentKernelsAddBeforeSmEfficiencyIsCapped) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  SetLoad(b, b.Kernel("a", 0, 40), 0.25, 50);
  SetLoad(b, b.Kernel("b", 20, 60, kNoUint, 0, 8), 0.5, 25);
  SetLoad(b, b.Kernel("c", 50, 70, kNoUint, 0, 9), 30, 100);
  b.Kernel("without numbers", 80, 90);
  const std::vector<DeviceRow> rows = Describe(b);
  // 0-20: .25, 20-40: .75, 40-50: .5, 50-70: 1
  EXPECT_DOUBLE_EQ(rows[0].sm_efficiency_share.value(), (5 + 15 + 5 + 20) / 100.0);
  EXPECT_DOUBLE_EQ(rows[0].achieved_occupancy_share.value(),
                   (50 * 40 + 25 * 40 + 100 * 20) / 100.0 / 100);
}

TEST(Devices, OccupancyIsWeightedByTheTimeInsideTheWindow) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  SetLoad(b, b.Kernel("a", 90, 1000), 1, 80);
  SetLoad(b, b.Kernel("b", 0, 10), 1, 20);
  EXPECT_DOUBLE_EQ(Describe(b)[0].achieved_occupancy_share.value(), 0.5);
}

TEST(Devices, AreSortedByIdAndIncludeThoseWithoutKernels) {
  TraceBuilder b;
  b.Kernel("k", 0, 10, kNoUint, 3);
  b.Memset("Memset (Device)", 0, 10, kNoUint, 1);
  const std::vector<DeviceRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, 1);
  EXPECT_EQ(rows[0].kernel_count, 0u);
  EXPECT_EQ(rows[0].tensor_core_share, std::nullopt);
  EXPECT_EQ(rows[1].id, 3);
  EXPECT_EQ(rows[1].tensor_core_share, 0.0);
}

TEST(Devices, TensorCoreShareIsByKernelTime) {
  TraceBuilder b;
  b.Kernel("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", 0, 30);
  b.Kernel("elementwise_kernel", 30, 40);
  EXPECT_DOUBLE_EQ(Describe(b)[0].tensor_core_share.value(), 0.75);
}

TEST(Devices, PropertiesComeByIdElseFromTheOnlyEntry) {
  TraceBuilder b;
  b.Kernel("k", 0, 10, kNoUint, 2);
  DeviceProperties only;
  only.id = 0;
  only.name = "AMD Instinct MI300X";
  only.memory_bytes = 1 << 20;
  b.trace().devices.push_back(only);
  EXPECT_EQ(Describe(b)[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(Describe(b)[0].type, "hip");
  EXPECT_EQ(Describe(b)[0].compute_capability, "");

  DeviceProperties other;
  other.id = 2;
  other.name = "second";
  other.compute_major = 9;
  other.compute_minor = 0;
  b.trace().devices.push_back(other);
  EXPECT_EQ(Describe(b)[0].name, "second");
  EXPECT_EQ(Describe(b)[0].compute_capability, "9.0");
  EXPECT_EQ(Describe(b)[0].memory_bytes, std::nullopt);

  b.Kernel("k", 0, 10, kNoUint, 5);
  EXPECT_EQ(Describe(b)[1].name, "");
}

TEST(Devices, TypeFollowsWhatTheTraceShows) {
  {
    TraceBuilder b;
    b.Kernel("k", 0, 10);
    EXPECT_EQ(Describe(b)[0].type, "other");
    b.Runtime("cudaLaunchKernel", 0, 1);
    EXPECT_EQ(Describe(b)[0].type, "cuda");
    b.Runtime("hipLaunchKernel", 1, 2);
    EXPECT_EQ(Describe(b)[0].type, "hip");
  }
  {
    TraceBuilder b;
    b.Device("mtia_ccp_events", "k", 0, 10, kNoUint, 0, 1);
    EXPECT_EQ(Describe(b)[0].type, "mtia");
    EXPECT_EQ(Describe(b)[0].kernel_count, 1u);
  }
  {
    TraceBuilder b;
    b.Kernel("k", 0, 10);
    b.Add("xpu_runtime", "zeCommandListAppendLaunchKernel", 0, 1, b.Track(1, 1));
    EXPECT_EQ(Describe(b)[0].type, "xpu");
  }
}

TEST(Devices, SelectionLimitsWindowAndEvents) {
  TraceBuilder b;
  for (int64_t i = 0; i < 2; ++i) {
    b.Annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100 * i + 100);
    b.Runtime("cudaLaunchKernel", 100 * i, 100 * i + 1, static_cast<uint64_t>(i + 1));
    b.Kernel("k", 100 * i + 10, 100 * i + 30 + 30 * i, static_cast<uint64_t>(i + 1));
  }
  AnalysisOptions options;
  options.first_step = 1;
  const std::vector<DeviceRow> rows = Describe(b, options);
  EXPECT_EQ(rows[0].kernel_count, 1u);
  EXPECT_DOUBLE_EQ(rows[0].utilization_share, 0.5);
}

}  // namespace
}  // namespace telltale
