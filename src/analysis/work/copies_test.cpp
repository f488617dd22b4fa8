// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/copies.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

std::vector<CopyRow> Describe(TraceBuilder& builder) {
  const Trace& trace = builder.trace();
  Diagnostics diagnostics;
  const HostTree tree = BuildHostTree(trace, 1, diagnostics);
  return DescribeCopies(trace, tree, LinkDeviceEvents(trace, tree, diagnostics), Selection());
}

TEST(Copies, DirectionFollowsFromTheName) {
  EXPECT_EQ(CopyDirection("Memcpy HtoD (Pageable -> Device)"), "HtoD");
  EXPECT_EQ(CopyDirection("Memcpy DtoH (Device -> Pinned)"), "DtoH");
  EXPECT_EQ(CopyDirection("CopyDeviceToDevice"), "DtoD");
  EXPECT_EQ(CopyDirection("zeCommandListAppendMemoryCopy(M2D)"), "HtoD");
  EXPECT_EQ(CopyDirection("Memcpy PtoP (Device -> Device)"), "PtoP");
  EXPECT_EQ(CopyDirection("something"), "other");
}

TEST(Copies, SumTimeAndBytesPerName) {
  TraceBuilder b;
  b.Kernel("k", 0, 1000);
  b.DeviceDetailOf(b.Memcpy("Memcpy HtoD (Pageable -> Device)", 0, 100)).bytes = 400;
  b.DeviceDetailOf(b.Memcpy("Memcpy HtoD (Pageable -> Device)", 100, 200)).bytes = 200;
  b.Memcpy("Memcpy HtoD (Pageable -> Device)", 300, 400);  // bytes not captured
  b.DeviceDetailOf(b.Memcpy("Memcpy DtoH (Device -> Pinned)", 0, 10)).bytes = 50;
  b.Memset("Memset (Device)", 0, 20);
  const std::vector<CopyRow> rows = Describe(b);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].direction, "HtoD");
  EXPECT_EQ(rows[0].pageable, true);
  EXPECT_EQ(rows[0].calls, 3u);
  EXPECT_EQ(rows[0].total_ns, 300);
  EXPECT_EQ(rows[0].bytes, 600);
  EXPECT_DOUBLE_EQ(rows[0].bandwidth_gb_per_s.value(), 3.0);
  EXPECT_EQ(rows[1].direction, "memset");
  EXPECT_EQ(rows[1].bytes, std::nullopt);
  EXPECT_EQ(rows[1].bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(rows[1].pageable, std::nullopt);
  EXPECT_EQ(rows[2].pageable, false);
}

}  // namespace
}  // namespace telltale
