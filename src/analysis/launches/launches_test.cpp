// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches/launches.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

LaunchReport Describe(TraceBuilder& builder, const AnalysisOptions& options = {}) {
  return DescribeLaunches(PrepareTrace(builder.trace(), options));
}

TEST(Launches, AreNoneWithoutDeviceEvents) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 10, 1);
  const LaunchReport report = Describe(b);
  EXPECT_TRUE(report.rows.empty());
  EXPECT_EQ(report.summary.launches, 0u);
  EXPECT_EQ(report.summary.launches_per_second, std::nullopt);
}

TEST(Launches, DelayIsFromTheEndOfTheCallToTheStartOnTheDevice) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 10, 1);
  b.Runtime("cudaLaunchKernel", 20, 40, 2);
  b.Runtime("cudaLaunchKernel", 50, 60, 3);
  b.Runtime("cudaMemcpyAsync", 70, 90, 4);
  b.Kernel("a", 5, 100, 1);  // begins before the call returns: no delay
  b.Kernel("b", 100, 110, 2);
  b.Kernel("c", 210, 300, 3);
  b.Memcpy("Memcpy HtoD", 300, 400, 4);
  b.Kernel("not captured", 500, 600, 99);
  const LaunchReport report = Describe(b);
  ASSERT_EQ(report.rows.size(), 2u);
  const LaunchRow& row = report.rows[0];
  EXPECT_EQ(row.name, "cudaLaunchKernel");
  EXPECT_EQ(row.calls, 3u);
  EXPECT_EQ(row.host_total_ns, 40);
  EXPECT_EQ(row.host_mean_ns, 13);
  EXPECT_EQ(row.host_max_ns, 20);
  EXPECT_EQ(row.device_total_ns, 195);
  EXPECT_EQ(row.delay_mean_ns, 70);
  EXPECT_EQ(row.delay_median_ns, 60);
  EXPECT_EQ(row.delay_p99_ns, 150);
  EXPECT_EQ(row.delay_max_ns, 150);
  EXPECT_EQ(row.short_calls, 1u);  // b: 10 ns of device time for 20 ns of call
  EXPECT_EQ(report.summary.launches, 4u);
  EXPECT_EQ(report.summary.launch_missing, 1u);
  EXPECT_EQ(report.summary.host_total_ns, 60);
}

TEST(Launches, AGraphIsOneLaunchWithManyDeviceEvents) {
  TraceBuilder b;
  b.Runtime("cudaGraphLaunch", 0, 10, 1);
  b.Kernel("b", 40, 43, 1);
  b.Kernel("a", 30, 38, 1);
  b.Kernel("c", 20, 21, 1, 0, 8);
  const LaunchReport report = Describe(b);
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows[0].calls, 1u);
  EXPECT_EQ(report.rows[0].device_events, 3u);
  EXPECT_EQ(report.rows[0].device_total_ns, 12);
  EXPECT_EQ(report.rows[0].delay_max_ns, 10);
  EXPECT_EQ(report.rows[0].short_calls, 0u);
  EXPECT_EQ(report.summary.graph_launches, 1u);
  EXPECT_EQ(report.summary.graph_device_events, 3u);
  ASSERT_EQ(report.queues.size(), 2u);
  EXPECT_EQ(report.queues[0].launches, 1u);
  EXPECT_EQ(report.queues[0].window_ns, 30);
  EXPECT_DOUBLE_EQ(report.queues[0].mean_length, 1);
}

TEST(Launches, QueueLengthIsAveragedOverTime) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 1, 1);
  b.Runtime("cudaLaunchKernel", 10, 11, 2);
  b.Kernel("a", 30, 40, 1);
  b.Kernel("b", 40, 50, 2);
  const QueueRow row = Describe(b).queues[0];
  EXPECT_EQ(row.max_length, 2);
  EXPECT_EQ(row.window_ns, 40);
  EXPECT_DOUBLE_EQ(row.mean_length, (1 * 10 + 2 * 20 + 1 * 10) / 40.0);
  EXPECT_EQ(row.full_ns, 0);
}

TEST(Launches, ALaunchEntersTheQueueBeforeWhatStartsAtThatMomentLeavesIt) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 1, 1);
  b.Runtime("cudaLaunchKernel", 10, 11, 2);
  b.Kernel("a", 10, 20, 1);
  b.Kernel("b", 20, 30, 2);
  const QueueRow row = Describe(b).queues[0];
  EXPECT_EQ(row.max_length, 2);
  EXPECT_DOUBLE_EQ(row.mean_length, 1);
}

TEST(Launches, AKernelThatStartsAsItIsLaunchedIsInTheQueueForAMoment) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 1, 1);
  b.Runtime("cudaLaunchKernel", 10, 11, 2);
  b.Kernel("a", 0, 5, 1);
  b.Kernel("b", 10, 20, 2);
  EXPECT_EQ(Describe(b).queues[0].max_length, 1);
  EXPECT_DOUBLE_EQ(Describe(b).queues[0].mean_length, 0);
}

TEST(Launches, TimeWithAFullQueueIsCounted) {
  TraceBuilder b;
  const int64_t count = kFullQueue + 1;
  for (int64_t i = 0; i < count; ++i) {
    b.Runtime("cudaLaunchKernel", i, i + 1, static_cast<uint64_t>(i + 1));
    b.Kernel("k", 10'000 + 10 * i, 10'005 + 10 * i, static_cast<uint64_t>(i + 1));
  }
  const QueueRow row = Describe(b).queues[0];
  EXPECT_EQ(row.max_length, count);
  // From launch 1024 on until the second kernel starts, when 1023 are left.
  EXPECT_EQ(row.full_ns, 10'010 - 1023);
}

TEST(Launches, RatesAreOverStepsAndTheirWindow) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 500);
  b.Annotation("ProfilerStep#2", 500, 1000);
  uint64_t correlation = 0;
  for (const int64_t time : {10, 200, 400, 510, 600, 700, 800, 990}) {
    b.Runtime("cudaLaunchKernel", time, time + 2, ++correlation);
    b.Kernel("k", time + 4, time + 6, correlation);
  }
  const LaunchSummary all = Describe(b).summary;
  EXPECT_DOUBLE_EQ(*all.launches_per_step, 4);  // 3 and 5
  EXPECT_DOUBLE_EQ(*all.device_events_per_step, 4);
  EXPECT_DOUBLE_EQ(*all.launches_per_second, 8e6);  // 8 in 1000 ns
  AnalysisOptions second;
  second.first_step = 2;
  const LaunchReport report = Describe(b, second);
  EXPECT_EQ(report.summary.launches, 5u);
  EXPECT_DOUBLE_EQ(*report.summary.launches_per_step, 5);
  EXPECT_EQ(report.queues[0].launches, 5u);
}

}  // namespace
}  // namespace telltale
