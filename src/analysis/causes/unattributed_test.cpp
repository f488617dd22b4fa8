// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/unattributed.h"

#include <gtest/gtest.h>

#include "analysis/core/context.h"
#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

UnattributedWork Find(TraceBuilder& builder) {
  AnalysisOptions options;
  options.threads = 1;
  const TraceContext context = PrepareTrace(builder.trace(), options);
  return FindUnattributedWork(context.trace, context.tree, context.links);
}

TEST(UnattributedWork, IsWhatAGraphOrNoKnownCallLaunched) {
  TraceBuilder builder;
  builder.Operator("aten::mm", 0, 100);
  builder.Runtime("cudaLaunchKernel", 10, 20, 1);
  builder.Runtime("cudaGraphLaunch", 110, 120, 2);
  builder.Kernel("gemm", 200, 300, 1);
  builder.Kernel("in_graph", 300, 450, 2);
  builder.Kernel("in_graph", 450, 600, 2);
  builder.Kernel("before", 600, 1000, 77);
  const UnattributedWork found = Find(builder);
  EXPECT_EQ(found.device_ns, 800);
  EXPECT_EQ(found.graph_ns, 300);
  EXPECT_EQ(found.graph_events, 2U);
  EXPECT_EQ(found.graph_launches, 1U);
  EXPECT_EQ(builder.trace().NameOfSpan(found.graph_launch), "cudaGraphLaunch");
  EXPECT_EQ(found.no_launch_events, 1U);
  EXPECT_DOUBLE_EQ(found.NoLaunchShare(), 0.5);
}

TEST(UnattributedWork, IsNoneWithoutADevice) {
  TraceBuilder builder;
  builder.Operator("aten::mm", 0, 100);
  EXPECT_DOUBLE_EQ(Find(builder).GraphShare(), 0);
}

}  // namespace
}  // namespace telltale
