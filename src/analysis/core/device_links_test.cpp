// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/device_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

struct Linked {
  explicit Linked(TraceBuilder& builder)
      : trace(builder.trace()),
        tree(BuildHostTree(trace, 1, diagnostics)),
        links(LinkDeviceEvents(trace, tree, diagnostics)) {}

  // Span rows, or kNoRow.
  [[nodiscard]] SpanRow Launch(SpanRow device) const {
    return RowOf(links.launch[IndexOf(device)]);
  }
  [[nodiscard]] SpanRow Owner(SpanRow device) const { return RowOf(links.owner[IndexOf(device)]); }
  [[nodiscard]] uint64_t Missing() const {
    return diagnostics.Count(DiagnosticKind::kLaunchMissing);
  }

  const Trace& trace;
  Diagnostics diagnostics;
  HostTree tree;
  DeviceLinks links;

 private:
  [[nodiscard]] size_t IndexOf(SpanRow device) const {
    return static_cast<size_t>(std::find(links.device.begin(), links.device.end(), device) -
                               links.device.begin());
  }
  [[nodiscard]] SpanRow RowOf(NodeId node) const {
    return node == kNoRow ? kNoRow : tree.span[node];
  }
};

TEST(DeviceLinks, FollowCorrelationToLaunchAndInnermostOperator) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  const SpanRow mm = b.Operator("aten::mm", 10, 60);
  const SpanRow launch = b.Runtime("cudaLaunchKernel", 20, 30, 7);
  const SpanRow kernel = b.Kernel("gemm", 200, 300, 7);
  const Linked linked(b);
  EXPECT_EQ(linked.Launch(kernel), launch);
  EXPECT_EQ(linked.Owner(kernel), mm);
  EXPECT_EQ(linked.Missing(), 0u);
}

TEST(DeviceLinks, IgnoreExternalId) {
  TraceBuilder b;
  const SpanRow op = b.Operator("aten::mm", 0, 10);
  b.OperatorDetailOf(op).external_id = 7;
  b.Operator("aten::add", 20, 40);
  b.Runtime("cudaLaunchKernel", 25, 30, 7);
  const SpanRow kernel = b.Kernel("k", 50, 60, 7);
  b.DeviceDetailOf(kernel).external_id = 7;
  const Linked linked(b);
  EXPECT_EQ(linked.trace.NameOfSpan(linked.Owner(kernel)), "aten::add");
}

TEST(DeviceLinks, SkipRuntimeParentsAndUseTheFoldedOperator) {
  TraceBuilder b;
  const SpanRow outer = b.Operator("aten::mm", 0, 100);
  b.Operator("aten::mm", 5, 95);
  b.Runtime("cudaLaunchKernel", 10, 50, 1);
  const SpanRow driver = b.Runtime("cuLaunchKernel", 20, 40, 2);
  const SpanRow kernel = b.Kernel("k", 200, 210, 2);
  const Linked linked(b);
  EXPECT_EQ(linked.Launch(kernel), driver);
  EXPECT_EQ(linked.Owner(kernel), outer);
}

TEST(DeviceLinks, TakeTheFirstCallInTheFileWhereSeveralShareACorrelation) {
  TraceBuilder b;
  b.Operator("late", 50, 90);
  const SpanRow first_in_file = b.Runtime("cudaLaunchKernel", 60, 70, 3);
  b.Operator("early", 0, 40);
  b.Runtime("cuLaunchKernel", 10, 20, 3);
  const SpanRow kernel = b.Kernel("k", 100, 110, 3);
  EXPECT_EQ(Linked(b).Launch(kernel), first_in_file);
}

TEST(DeviceLinks, OneLaunchMayHaveManyKernels) {
  TraceBuilder b;
  const SpanRow launch = b.Runtime("cudaGraphLaunch", 0, 10, 5);
  const SpanRow first = b.Kernel("a", 20, 30, 5);
  const SpanRow second = b.Kernel("b", 30, 40, 5);
  const Linked linked(b);
  EXPECT_EQ(linked.Launch(first), launch);
  EXPECT_EQ(linked.Launch(second), launch);
  EXPECT_EQ(linked.Owner(first), kNoRow);
  EXPECT_EQ(linked.Missing(), 0u);
}

TEST(DeviceLinks, CountsEventsWithoutLaunch) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 10, 0);  // 0 is no correlation
  const SpanRow zero = b.Kernel("zero", 20, 30, 0);
  b.Kernel("none", 30, 40);
  const SpanRow unknown = b.Memcpy("Memcpy HtoD (Pageable -> Device)", 40, 50, 99);
  const Linked linked(b);
  EXPECT_EQ(linked.Launch(zero), kNoRow);
  EXPECT_EQ(linked.Launch(unknown), kNoRow);
  EXPECT_EQ(linked.Missing(), 3u);
  EXPECT_EQ(linked.diagnostics.entries()[0].first_offset, linked.trace.spans.offset[zero]);
}

TEST(DeviceLinks, DeviceTrackThatCollidesWithAHostTrackIsKeptApart) {
  TraceBuilder b;
  const SpanRow op = b.Operator("op", 0, 50);
  b.trace().spans.track[op] = b.Track(0, 7);  // where device 0, stream 7 lives
  const SpanRow kernel = b.Kernel("k", 10, 20, 1);
  const Linked linked(b);
  EXPECT_EQ(linked.tree.size(), 1u);
  EXPECT_EQ(linked.Owner(kernel), kNoRow);
}

TEST(DeviceLinks, FindCorrelationsInAnyOrder) {
  std::mt19937 random(3);
  TraceBuilder b;
  std::vector<uint64_t> ids;
  for (uint64_t i = 1; i <= 500; ++i) ids.push_back(i * 3);
  std::shuffle(ids.begin(), ids.end(), random);
  std::vector<SpanRow> launch_of(1501, kNoRow);
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto time = static_cast<int64_t>(i) * 10;
    launch_of[ids[i]] = b.Runtime("call", time, time + 5, ids[i]);
  }
  std::vector<SpanRow> kernels;
  for (int i = 0; i < 2000; ++i) kernels.push_back(b.Kernel("k", 0, 1, 1 + random() % 1500));
  const Linked linked(b);
  for (const SpanRow kernel : kernels) {
    ASSERT_EQ(linked.Launch(kernel), launch_of[b.DeviceDetailOf(kernel).correlation]);
  }
}

}  // namespace
}  // namespace telltale
