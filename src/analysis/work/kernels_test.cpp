// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/kernels.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

std::vector<KernelRow> Describe(TraceBuilder& builder,
                                KernelGrouping grouping = KernelGrouping::kName) {
  const Trace& trace = builder.trace();
  Diagnostics diagnostics;
  const HostTree tree = BuildHostTree(trace, 1, diagnostics);
  const DeviceLinks links = LinkDeviceEvents(trace, tree, diagnostics);
  return DescribeKernels(trace, tree, links, FindNameFacts(trace, ""), Selection(), grouping);
}

TEST(Kernels, SumPerNameWithoutCopies) {
  TraceBuilder b;
  b.Kernel("small", 0, 10);
  b.Kernel("big", 10, 40);
  b.Kernel("small", 40, 45);
  b.Memcpy("Memcpy HtoD (Pageable -> Device)", 0, 100);
  b.Memset("Memset (Device)", 0, 100);
  const std::vector<KernelRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "big");
  EXPECT_EQ(rows[1].calls, 2u);
  EXPECT_EQ(rows[1].total_ns, 15);
  EXPECT_EQ(rows[1].mean_ns, 8);  // 7.5, halves up
  EXPECT_EQ(rows[1].min_ns, 5);
  EXPECT_EQ(rows[1].max_ns, 10);
}

TEST(Kernels, TiesAreSortedByName) {
  TraceBuilder b;
  b.Kernel("b", 0, 10);
  b.Kernel("a", 20, 30);
  EXPECT_EQ(Describe(b)[0].name, "a");
}

TEST(Kernels, MeansAreWeightedByDurationOverKernelsThatCarryTheArgument) {
  TraceBuilder b;
  const SpanRow first = b.Kernel("k", 0, 10);
  const SpanRow second = b.Kernel("k", 10, 40);
  b.Kernel("k", 40, 1000);
  b.DeviceDetailOf(first).blocks_per_sm = 4;
  b.DeviceDetailOf(second).blocks_per_sm = 8;
  b.DeviceDetailOf(second).occupancy_percent = 50;
  b.Kernel("none", 0, 5);
  const std::vector<KernelRow> rows = Describe(b);
  EXPECT_DOUBLE_EQ(rows[0].mean_blocks_per_sm.value(), 7);
  EXPECT_DOUBLE_EQ(rows[0].mean_achieved_occupancy_share.value(), 0.5);
  EXPECT_EQ(rows[1].mean_blocks_per_sm, std::nullopt);
  EXPECT_EQ(rows[1].mean_achieved_occupancy_share, std::nullopt);
}

TEST(Kernels, OperatorIsNamedWhereAllKernelsOfTheRowHaveIt) {
  TraceBuilder b;
  b.Operator("aten::mm", 0, 10);
  b.Runtime("cudaLaunchKernel", 1, 2, 1);
  b.Runtime("cudaLaunchKernel", 3, 4, 2);
  b.Operator("aten::add", 20, 30);
  b.Runtime("cudaLaunchKernel", 21, 22, 3);
  b.Kernel("gemm", 0, 100, 1);
  b.Kernel("gemm", 100, 200, 2);
  b.Kernel("shared", 0, 10, 2);
  b.Kernel("shared", 10, 20, 3);
  b.Kernel("shared", 20, 30, 2);
  const std::vector<KernelRow> rows = Describe(b);
  EXPECT_EQ(rows[0].op, "aten::mm");
  EXPECT_EQ(rows[1].op, std::nullopt);
}

TEST(Kernels, NoOperatorIsNamedWhereOneKernelOfTheRowHasNone) {
  constexpr uint64_t kNoLaunch = 99;
  TraceBuilder b;
  b.Operator("aten::mm", 0, 10);
  b.Runtime("cudaLaunchKernel", 1, 2, 1);
  b.Kernel("first lacks it", 0, 60, kNoLaunch);
  b.Kernel("first lacks it", 60, 120, 1);
  b.Kernel("last lacks it", 0, 50, 1);
  b.Kernel("last lacks it", 50, 100, kNoLaunch);
  for (const KernelRow& row : Describe(b)) EXPECT_EQ(row.op, std::nullopt) << row.name;
}

TEST(Kernels, AreCommunicationByNameOrCollective) {
  TraceBuilder b;
  b.Kernel("ncclDevKernel_AllReduce_Sum", 0, 30);
  b.Kernel("custom", 0, 10);
  b.Collective(b.Kernel("custom", 10, 20), "allreduce");
  b.Kernel("gemm", 0, 5);
  const std::vector<KernelRow> rows = Describe(b);
  EXPECT_EQ(rows[0].kind, KernelKind::kCommunication);
  EXPECT_EQ(rows[1].kind, KernelKind::kCommunication);
  EXPECT_EQ(rows[2].kind, KernelKind::kCompute);
}

TEST(Kernels, GroupByLaunchConfiguration) {
  TraceBuilder b;
  b.Operator("aten::mm", 0, 10);
  b.Runtime("cudaLaunchKernel", 1, 2, 1);
  auto add = [&](int64_t duration, uint32_t grid, int32_t registers, int64_t shared,
                 uint64_t correlation) {
    DeviceDetail& detail = b.DeviceDetailOf(b.Kernel("k", 0, duration, correlation));
    detail.grid[0] = grid;
    detail.grid[1] = detail.grid[2] = 1;
    detail.block[0] = 128;
    detail.block[1] = detail.block[2] = 1;
    detail.registers_per_thread = registers;
    detail.shared_memory_bytes = shared;
  };
  add(60, 512, 32, 0, 1);
  add(50, 512, 32, 0, 1);
  add(40, 512, 32, 0, 9);   // no operator
  add(30, 512, 33, 0, 1);   // other registers
  add(20, 512, 32, 64, 1);  // other shared memory
  add(10, 256, 32, 0, 1);   // other grid
  const std::vector<KernelRow> rows = Describe(b, KernelGrouping::kLaunch);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].op, "aten::mm");
  EXPECT_EQ(rows[0].grid, "[512, 1, 1]");
  EXPECT_EQ(rows[0].block, "[128, 1, 1]");
  EXPECT_EQ(rows[0].registers_per_thread, 32);
  EXPECT_EQ(rows[0].shared_memory_bytes, 0);
  EXPECT_EQ(rows[1].op, std::nullopt);
  EXPECT_EQ(Describe(b)[0].grid, std::nullopt);
}

}  // namespace
}  // namespace telltale
