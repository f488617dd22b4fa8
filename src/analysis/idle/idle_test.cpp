// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle/idle.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

IdleReport Describe(TraceBuilder& builder, const AnalysisOptions& options = {}) {
  return DescribeIdle(PrepareTrace(builder.trace(), options));
}

int64_t TimeOf(const IdleRow& row, IdleCause cause) {
  return row.cause_ns[static_cast<size_t>(cause)];
}

TEST(Idle, IsNothingWithoutDeviceEvents) {
  TraceBuilder b;
  b.Operator("aten::mm", 0, 100);
  EXPECT_TRUE(Describe(b).rows.empty());
}

TEST(Idle, GapsAreBetweenTheUnionOfEventsOfAStream) {
  TraceBuilder b;
  b.Kernel("a", 100, 200);
  b.Kernel("b", 150, 170);  // inside a
  b.Memcpy("Memcpy HtoD", 300, 400);
  b.Kernel("c", 400, 450);
  b.Kernel("d", 600, 700);
  const IdleReport report = Describe(b);
  ASSERT_EQ(report.rows.size(), 2u);
  const IdleRow& stream = report.rows[1];
  EXPECT_EQ(stream.stream, 7);
  EXPECT_EQ(stream.events, 5u);
  EXPECT_EQ(stream.window_ns, 600);
  EXPECT_EQ(stream.busy_ns, 350);
  EXPECT_EQ(stream.idle_ns, 250);
  EXPECT_EQ(stream.gaps, 2u);
  EXPECT_EQ(stream.gap_min_ns, 100);
  EXPECT_EQ(stream.gap_mean_ns, 125);
  EXPECT_EQ(stream.gap_max_ns, 150);
}

TEST(Idle, ADeviceIsIdleWhenAllItsStreamsAre) {
  TraceBuilder b;
  b.Kernel("a", 0, 100);
  b.Kernel("b", 300, 400);
  b.Kernel("c", 90, 250, kNoUint, 0, 8);
  b.Kernel("d", 0, 10, kNoUint, 1, 7);
  const IdleReport report = Describe(b);
  ASSERT_EQ(report.rows.size(), 5u);
  EXPECT_TRUE(report.rows[0].whole_device);
  EXPECT_EQ(report.rows[0].idle_ns, 50);
  EXPECT_EQ(report.rows[1].idle_ns, 200);
  EXPECT_EQ(report.rows[2].idle_ns, 0);
  EXPECT_EQ(report.rows[2].gap_max_ns, std::nullopt);
  EXPECT_EQ(report.rows[3].device, 1);
}

TEST(Idle, CausesFollowFromTheLaunch) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 5, 1);
  b.Runtime("cudaLaunchKernel", 10, 15, 2);
  b.Runtime("cudaLaunchKernel", 16, 18, 3);
  b.Runtime("cudaLaunchKernel", 100'300, 100'310, 4);
  b.Kernel("a", 20, 100, 1);
  b.Kernel("queued", 200, 300, 2);
  b.Kernel("queued, but late", 100'000, 100'100, 3);
  b.Kernel("launched in the gap", 100'400, 100'500, 4);
  b.Kernel("launch not captured", 100'600, 100'700, 99);
  const IdleRow row = Describe(b).rows[1];
  EXPECT_EQ(TimeOf(row, IdleCause::kKernelWait), 100);
  EXPECT_EQ(TimeOf(row, IdleCause::kHostWait), 300);
  EXPECT_EQ(TimeOf(row, IdleCause::kOther), 99'700 + 100);
  EXPECT_EQ(row.cause_gaps[static_cast<size_t>(IdleCause::kOther)], 2u);
  EXPECT_EQ(row.idle_ns, 100 + 300 + 99'800);
}

TEST(Idle, AGapOfThirtyMicrosecondsIsNoKernelWait) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 1, 1);
  b.Runtime("cudaLaunchKernel", 2, 3, 2);
  b.Kernel("a", 10, 20, 1);
  b.Kernel("b", 20 + kKernelWaitNs, 100'000, 2);
  EXPECT_EQ(TimeOf(Describe(b).rows[0], IdleCause::kOther), kKernelWaitNs);
}

TEST(Idle, WaitingForTheDeviceWhenTheGapBeginsIsSynchronisation) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 5, 1);
  b.Runtime("cudaStreamSynchronize", 50, 205);
  b.Runtime("cudaLaunchKernel", 300, 305, 2);
  b.Runtime("cudaDeviceSynchronize", 350, 360);  // over before the second gap begins
  b.Runtime("cudaLaunchKernel", 600, 605, 3);
  b.Kernel("a", 100, 200, 1);
  b.Kernel("b", 310, 500, 2);
  b.Kernel("c", 610, 700, 3);
  const IdleRow row = Describe(b).rows[1];
  EXPECT_EQ(TimeOf(row, IdleCause::kSynchronisation), 110);
  EXPECT_EQ(TimeOf(row, IdleCause::kHostWait), 110);
}

TEST(Idle, ADataLoaderOnTheLaunchingThreadForHalfOfTheWaitIsInput) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 5, 1);
  b.Annotation("enumerate(DataLoader)#_Iter.__next__", 150, 300);
  b.Runtime("cudaLaunchKernel", 400, 405, 2);
  b.Annotation("enumerate(DataLoader)#_Iter.__next__", 500, 1000, 2);  // another thread
  b.Runtime("cudaLaunchKernel", 900, 905, 3);
  b.Kernel("a", 10, 200, 1);  // waits 200 ns for b's launch, half of it in the loader
  b.Kernel("b", 410, 500, 2);
  b.Kernel("c", 910, 950, 3);
  const IdleReport report = Describe(b);
  EXPECT_EQ(TimeOf(report.rows[1], IdleCause::kInput), 210);
  EXPECT_EQ(TimeOf(report.rows[1], IdleCause::kHostWait), 410);
  ASSERT_EQ(report.gaps.size(), 2u);
  EXPECT_EQ(report.gaps[1].cause, IdleCause::kInput);
  EXPECT_EQ(report.gaps[1].host, "enumerate(DataLoader)#_Iter.__next__");
  EXPECT_EQ(report.gaps[1].host_ns, 100);
  EXPECT_EQ(report.gaps[0].host, std::nullopt);
}

TEST(Idle, LongestGapsSayWhatTheHostDid) {
  TraceBuilder b;
  b.trace().base_time_ns = 1'000'000;
  b.Annotation("ProfilerStep#1", 0, 1000);
  b.Runtime("cudaLaunchKernel", 5, 10, 1);
  b.Operator("outer", 60, 900);
  b.Operator("slow", 120, 350);
  b.Operator("inner", 200, 220);
  b.Operator("launching", 380, 480);
  b.Runtime("cudaLaunchKernel", 400, 410, 2);
  b.Kernel("a", 20, 100, 1);
  b.Kernel("b", 420, 500, 2);
  const IdleReport report = Describe(b);
  ASSERT_EQ(report.gaps.size(), 1u);
  const IdleGap& gap = report.gaps[0];
  EXPECT_EQ(gap.start_ns, 1'000'100);
  EXPECT_EQ(gap.duration_ns, 320);
  EXPECT_EQ(gap.before, "a");
  EXPECT_EQ(gap.after, "b");
  EXPECT_EQ(gap.host, "slow");
  EXPECT_EQ(gap.host_ns, 210);
}

TEST(Idle, KeepsOnlyTheLongestGaps) {
  TraceBuilder b;
  for (int64_t i = 0; i < 50; ++i) b.Kernel("k", 1000 * i, 1000 * i + 500 + 10 * (i % 25));
  const IdleReport report = Describe(b);
  EXPECT_EQ(report.rows[0].gaps, 49u);
  ASSERT_EQ(report.gaps.size(), kMostGaps);
  EXPECT_EQ(report.gaps[0].duration_ns, 500);
  EXPECT_EQ(report.gaps[0].start_ns, 500);
  EXPECT_EQ(report.gaps[1].start_ns, 25'500);
  EXPECT_EQ(report.gaps.back().duration_ns, 410);
}

TEST(Idle, CountsOnlySelectedSteps) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("ProfilerStep#2", 100, 200);
  b.Runtime("cudaLaunchKernel", 10, 11, 1);
  b.Runtime("cudaLaunchKernel", 110, 111, 2);
  b.Runtime("cudaLaunchKernel", 120, 121, 3);
  b.Kernel("a", 20, 30, 1);
  b.Kernel("b", 130, 140, 2);
  b.Kernel("c", 145, 150, 3);
  AnalysisOptions options;
  options.first_step = 2;
  const IdleReport report = Describe(b, options);
  EXPECT_EQ(report.rows[0].events, 2u);
  EXPECT_EQ(report.rows[0].idle_ns, 5);
}

}  // namespace
}  // namespace telltale
