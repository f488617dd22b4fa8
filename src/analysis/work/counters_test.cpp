// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/counters.h"

#include <utility>

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

using Points = std::vector<std::pair<int64_t, double>>;

std::vector<CounterSeries> Counters(TraceBuilder& builder) {
  return DeviceCounters(PrepareTrace(builder.trace(), {}));
}

Points PointsOf(const std::vector<CounterSeries>& series, std::string_view name,
                std::optional<int64_t> stream = std::nullopt) {
  Points points;
  for (const CounterSeries& s : series) {
    if (s.name != name || s.stream != stream) continue;
    for (const CounterPoint& point : s.points) points.emplace_back(point.time_ns, point.value);
  }
  return points;
}

TEST(Counters, AreNoneWithoutDeviceEvents) {
  TraceBuilder b;
  b.Operator("aten::mm", 0, 100);
  EXPECT_TRUE(Counters(b).empty());
}

TEST(Counters, UtilizationIsByBucketsOfAPowerOfTenAndTheLastTakesTheRest) {
  TraceBuilder b;
  // 250.5 us: 25 buckets of 10 us, the last one 10.5 us long.
  b.Add("Trace", "PyTorch Profiler (0)", 1000, 251'500, b.Track(1, 1));
  b.Kernel("a", 1000, 6000);
  b.Kernel("b", 4000, 8500, kNoUint, 0, 8);
  b.Kernel("c", 241'000, 300'000);
  const Points points = PointsOf(Counters(b), "GPU 0 Utilization");
  ASSERT_EQ(points.size(), 26u);
  EXPECT_EQ(points[0], std::pair(int64_t{1000}, 0.75));
  EXPECT_EQ(points[1], std::pair(int64_t{11'000}, 0.0));
  EXPECT_EQ(points[24], std::pair(int64_t{241'000}, 1.0));
  EXPECT_EQ(points[25], std::pair(int64_t{251'500}, 0.0));
}

TEST(Counters, UtilizationHasAHundredBucketsAtMost) {
  TraceBuilder b;
  b.Kernel("a", 0, 100'000);  // exactly 100 buckets of 1 us
  EXPECT_EQ(PointsOf(Counters(b), "GPU 0 Utilization").size(), 101u);
  b.Kernel("b", 0, 100'001);
  EXPECT_EQ(PointsOf(Counters(b), "GPU 0 Utilization").size(), 11u);
}

TEST(Counters, SmEfficiencyAddsConcurrentKernelsAndIsCapped) {
  TraceBuilder b;
  b.DeviceDetailOf(b.Kernel("a", 0, 40)).blocks_per_sm = 0.25;
  b.DeviceDetailOf(b.Kernel("b", 20, 60, kNoUint, 0, 8)).blocks_per_sm = 0.5;
  b.DeviceDetailOf(b.Kernel("c", 50, 70, kNoUint, 0, 9)).blocks_per_sm = 30;
  b.Kernel("not captured", 80, 90);
  EXPECT_EQ(PointsOf(Counters(b), "GPU 0 Est. SM Efficiency"),
            (Points{{0, 0.25}, {20, 0.75}, {40, 0.5}, {50, 1}, {70, 0}}));
}

TEST(Counters, QueueLengthIsPerStreamFromLaunchToStart) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 0, 5, 1);
  b.Runtime("cudaLaunchKernel", 10, 15, 2);
  b.Runtime("cudaLaunchKernel", 12, 15, 3);
  b.Kernel("a", 10, 30, 1);
  b.Kernel("b", 30, 40, 2);
  b.Kernel("c", 20, 25, 3, 0, 8);
  b.Kernel("launched before the capture", 1, 2, 99);
  const auto series = Counters(b);
  EXPECT_EQ(PointsOf(series, "GPU 0 Queue Length", 7), (Points{{0, 1}, {10, 1}, {30, 0}}));
  EXPECT_EQ(PointsOf(series, "GPU 0 Queue Length", 8), (Points{{12, 1}, {20, 0}}));
}

TEST(Counters, AGraphLaunchIsOneEntryOfTheQueue) {
  TraceBuilder b;
  b.Runtime("cudaGraphLaunch", 0, 5, 1);
  b.Kernel("b", 30, 40, 1);
  b.Kernel("a", 20, 30, 1);
  EXPECT_EQ(PointsOf(Counters(b), "GPU 0 Queue Length", 7), (Points{{0, 1}, {20, 0}}));
}

TEST(Counters, AQueueIsNeverShorterThanNothing) {
  TraceBuilder b;
  b.Runtime("cudaLaunchKernel", 100, 105, 1);
  b.Kernel("before its launch", 90, 95, 1);
  EXPECT_EQ(PointsOf(Counters(b), "GPU 0 Queue Length", 7), (Points{{100, 0}}));
}

TEST(Counters, BandwidthIsTheSumOfTheCopiesOfADirection) {
  TraceBuilder b;
  b.DeviceDetailOf(b.Memcpy("Memcpy HtoD (Pageable -> Device)", 0, 10)).bandwidth_gb_per_s = 4;
  b.DeviceDetailOf(b.Memcpy("Memcpy HtoD (Pinned -> Device)", 5, 20)).bytes = 30;
  b.Memcpy("Memcpy HtoD (Pinned -> Device)", 30, 40);
  b.DeviceDetailOf(b.Memset("Memset (Device)", 0, 10)).bytes = 10;
  const auto series = Counters(b);
  EXPECT_EQ(PointsOf(series, "GPU 0 Memcpy HtoD Bandwidth"),
            (Points{{0, 4}, {5, 6}, {10, 2}, {20, 0}}));
  EXPECT_EQ(PointsOf(series, "GPU 0 Memset Bandwidth"), (Points{{0, 1}, {10, 0}}));
}

}  // namespace
}  // namespace telltale
