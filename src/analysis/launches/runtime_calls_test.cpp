// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches/runtime_calls.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

TEST(RuntimeCalls, HoldThoseThatLaunchNothing) {
  TraceBuilder b;
  b.Operator("aten::empty", 0, 100);
  b.Runtime("cudaMalloc", 10, 60, 7);
  b.Runtime("cudaLaunchKernel", 70, 80, 1);
  b.Runtime("cudaDeviceSynchronize", 110, 400, 8);
  b.Runtime("cudaDeviceSynchronize", 410, 420, 9);
  b.Kernel("a", 90, 300, 1);
  const std::vector<RuntimeCallRow> rows = DescribeRuntimeCalls(PrepareTrace(b.trace(), {}));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "cudaDeviceSynchronize");
  EXPECT_EQ(rows[0].calls, 2U);
  EXPECT_EQ(rows[0].host_total_ns, 300);
  EXPECT_EQ(rows[0].host_mean_ns, 150);
  EXPECT_EQ(rows[0].host_max_ns, 290);
  EXPECT_EQ(rows[1].name, "cudaMalloc");
  EXPECT_EQ(rows[2].name, "cudaLaunchKernel");
}

}  // namespace
}  // namespace telltale
