// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"
#include "analysis/memory/allocations.h"
#include "analysis/memory/curve.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int16_t kCuda = 1;

class MemoryTraceBuilder : public TraceBuilder {
 public:
  // An instant on GPU 0 with an address; totals are set where given.
  void Gpu(int64_t time, int64_t bytes, uint64_t address, int64_t allocated = kNoInt,
           int64_t reserved = kNoInt, int64_t tid = 1) {
    Memory(time, bytes, tid, kCuda);
    MemoryTable& memory = trace().memory;
    memory.address.back() = address;
    memory.total_allocated.back() = allocated;
    memory.total_reserved.back() = reserved;
    memory.device_id.back() = 0;
  }
};

MemoryReport Describe(MemoryTraceBuilder& builder, const AnalysisOptions& options = {}) {
  return DescribeMemory(PrepareTrace(builder.trace(), options));
}

std::string TextOf(const MemoryReport& report, MemoryText text) {
  const std::string* found = report.TextOf(text);
  return found == nullptr ? "none" : *found;
}

std::vector<std::string> NamesAndBytes(const std::vector<MemoryShare>& shares) {
  std::vector<std::string> out;
  for (const MemoryShare& share : shares)
    out.push_back(share.name + "=" + std::to_string(share.bytes) + "/" +
                  std::to_string(share.count.value_or(0)));
  return out;
}

TEST(Memory, HasNoDevicesWithoutMemoryEvents) {
  MemoryTraceBuilder builder;
  builder.Operator("aten::mm", 0, 10);
  EXPECT_THAT(Describe(builder).devices, IsEmpty());
}

TEST(Memory, PairsAllocationAndReleaseByAddress) {
  MemoryTraceBuilder builder;
  builder.Operator("aten::mm", 0, 10);
  builder.Gpu(2, 100, 7);
  builder.Gpu(3, 50, 8);
  builder.Gpu(12, -100, 7);
  builder.Gpu(14, 100, 7);  // the address again
  const MemoryReport report = Describe(builder);
  ASSERT_THAT(report.allocations, SizeIs(3));
  EXPECT_EQ(report.allocations[0].allocated_ns, 2);
  EXPECT_EQ(report.allocations[0].released_ns, 12);
  EXPECT_EQ(TextOf(report, report.allocations[0].op), "aten::mm");
  EXPECT_EQ(report.allocations[1].released_ns, std::nullopt);
  EXPECT_EQ(TextOf(report, report.allocations[2].op), "none");
  EXPECT_EQ(report.devices[0].never_released_count, 2);
  EXPECT_EQ(report.devices[0].released_from_before_count, 0);
}

TEST(Memory, KeepsDevicesWithEqualAddressesApart) {
  MemoryTraceBuilder builder;
  builder.Gpu(1, 100, 7);
  builder.Gpu(2, -30, 7);
  builder.trace().memory.device_id.back() = 1;
  const MemoryReport report = Describe(builder);
  ASSERT_THAT(report.devices, SizeIs(2));
  EXPECT_EQ(report.devices[0].never_released_count, 1);
  EXPECT_EQ(report.devices[1].released_from_before_count, 1);
  ASSERT_THAT(report.allocations, SizeIs(2));
  EXPECT_EQ(report.allocations[1].allocated_ns, std::nullopt);
  EXPECT_EQ(report.allocations[1].bytes, 30);
}

TEST(Memory, AnAddressAllocatedTwiceBelongsToTheLaterBlock) {
  MemoryTraceBuilder builder;
  builder.Gpu(1, 100, 7);
  builder.Gpu(2, 200, 7);
  builder.Gpu(3, -200, 7);
  const MemoryReport report = Describe(builder);
  ASSERT_THAT(report.allocations, SizeIs(2));
  EXPECT_EQ(report.allocations[0].released_ns, std::nullopt);
  EXPECT_EQ(report.allocations[1].released_ns, 3);
}

TEST(Memory, TheInnermostOperatorOwnsFromItsStartToBeforeItsEnd) {
  MemoryTraceBuilder builder;
  builder.Operator("aten::linear", 0, 20);
  builder.Operator("aten::mm", 5, 10);
  builder.Runtime("cudaMalloc", 6, 9);
  builder.Annotation("range", 6, 9);
  for (const int64_t time : {4, 5, 7, 10, 20}) builder.Gpu(time, 1, static_cast<uint64_t>(time));
  const MemoryReport report = Describe(builder);
  std::vector<std::string> owners;
  for (const AllocationRow& row : report.allocations) owners.push_back(TextOf(report, row.op));
  EXPECT_THAT(owners, ElementsAre("aten::linear", "aten::mm", "aten::mm", "aten::linear", "none"));
  EXPECT_EQ(TextOf(report, report.allocations[2].parent_op), "aten::linear");
}

TEST(Memory, RangesThatOldTracesWriteAsOperatorsOwnNothing) {
  MemoryTraceBuilder builder;
  builder.Operator("ProfilerStep#3", 0, 100);
  builder.Operator("Optimizer.step#SGD.step", 10, 90);
  builder.Operator("enumerate(DataLoader)#x", 20, 80);
  builder.Gpu(30, 1, 7);
  const MemoryReport report = Describe(builder);
  EXPECT_EQ(TextOf(report, report.allocations[0].op), "none");
  EXPECT_EQ(TextOf(report, report.allocations[0].step), "3");
}

TEST(Memory, TheInnermostModuleOfTheThreadIsNamed) {
  MemoryTraceBuilder builder;
  builder.Python("nn.Module: Net_0", 0, 100);
  builder.Python("nn.Module: Linear_1", 10, 50);
  builder.Python("nn.Module: ReLU_0", 10, 50, 2);
  for (const int64_t time : {5, 20, 60, 100}) builder.Gpu(time, 1, static_cast<uint64_t>(time));
  const MemoryReport report = Describe(builder);
  std::vector<std::string> modules;
  for (const AllocationRow& row : report.allocations) modules.push_back(TextOf(report, row.module));
  EXPECT_THAT(modules, ElementsAre("Net_0", "Linear_1", "Net_0", "none"));
}

TEST(Memory, WhatMakesRoomIsShownWithWhoWantedIt) {
  const std::string parent = "aten::addmm";
  EXPECT_EQ(ShownOperator("aten::empty_strided", &parent), "aten::addmm (aten::empty_strided)");
  EXPECT_EQ(ShownOperator("aten::empty", nullptr), "aten::empty");
  EXPECT_EQ(ShownOperator("aten::mm", &parent), "aten::mm");
}

TEST(Memory, FindsThePeakAndWhatWasThere) {
  MemoryTraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100);
  builder.Annotation("ProfilerStep#2", 100, 200);
  builder.Operator("aten::addmm", 10, 20);
  builder.Operator("aten::empty", 12, 14);
  builder.Operator("aten::relu", 110, 120);
  builder.Gpu(13, 100, 1, 600, 1000);
  builder.Gpu(15, 40, 2, 640, 1000);
  builder.Gpu(50, -40, 2, 600, 1000);
  builder.Gpu(115, 60, 3, 660, 2000);
  builder.Gpu(130, -60, 3, 600, 2000);
  builder.Gpu(131, 60, 3, 660, 2000);  // as high, later
  const MemoryReport report = Describe(builder);
  const DeviceMemory& device = report.devices[0];
  EXPECT_FALSE(device.relative);
  EXPECT_EQ(device.peak_allocated_bytes, 660);
  EXPECT_EQ(device.peak_ns, 115);
  EXPECT_EQ(device.peak_step, "2");
  EXPECT_EQ(device.peak_reserved_bytes, 2000);
  EXPECT_EQ(device.fragmentation_at_peak_bytes, 1340);
  EXPECT_EQ(device.fragmentation_max_bytes, 1400);
  ASSERT_TRUE(device.at_peak.has_value());
  EXPECT_EQ(device.at_peak->known_bytes, 160);
  EXPECT_EQ(device.at_peak->before_bytes, 500);
  EXPECT_THAT(NamesAndBytes(device.at_peak->by_operator),
              ElementsAre("aten::addmm (aten::empty)=100/1", "aten::relu=60/1"));
  EXPECT_THAT(NamesAndBytes(device.at_peak->by_step), ElementsAre("1=100/1", "2=60/1"));
  ASSERT_THAT(device.at_peak->blocks, SizeIs(2));
  EXPECT_EQ(device.at_peak->blocks[0].bytes, 100);
}

TEST(Memory, LessThanIsAllocatedIsNotReserved) {
  MemoryTraceBuilder builder;
  builder.Gpu(10, 100, 1, 600, 0);
  builder.Gpu(20, 40, 2, 640, 40);
  const MemoryReport report = Describe(builder);
  EXPECT_EQ(report.devices[0].peak_reserved_bytes, std::nullopt);
  EXPECT_EQ(report.devices[0].fragmentation_at_peak_bytes, std::nullopt);
}

TEST(Memory, WithoutTotalsTheCurveIsTheRunningSum) {
  MemoryTraceBuilder builder;
  for (const auto& [time, bytes] : {std::pair(1, 10), {2, -30}, {3, 50}})
    builder.Memory(time, bytes, 1, kCuda);
  const MemoryReport report = Describe(builder);
  const DeviceMemory& device = report.devices[0];
  EXPECT_TRUE(device.relative);
  EXPECT_EQ(device.peak_allocated_bytes, 30);
  EXPECT_EQ(device.curve[1].allocated_bytes, -20);
  EXPECT_EQ(device.peak_reserved_bytes, std::nullopt);
  EXPECT_FALSE(device.at_peak.has_value());
  EXPECT_EQ(device.never_released_count, std::nullopt);
}

TEST(Memory, OperatorTotalsIncludeTheOperatorsInside) {
  MemoryTraceBuilder builder;
  builder.Operator("aten::linear", 0, 30);
  builder.Operator("aten::addmm", 5, 25);
  builder.Operator("aten::linear", 40, 50);  // without memory
  builder.Gpu(1, 8, 1);
  builder.Gpu(10, 100, 2);
  builder.Gpu(12, 40, 3);
  builder.Gpu(20, -40, 3);
  const std::vector<MemoryOperatorRow> rows = Describe(builder).devices[0].operators;
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].name, "aten::addmm");
  EXPECT_EQ(rows[0].self_size_increase_bytes, 100);
  EXPECT_EQ(rows[0].self_allocation_bytes, 140);
  EXPECT_EQ(rows[0].self_allocation_count, 2);
  EXPECT_EQ(rows[1].name, "aten::linear");
  EXPECT_EQ(rows[1].calls, 2);
  EXPECT_EQ(rows[1].self_size_increase_bytes, 8);
  EXPECT_EQ(rows[1].size_increase_bytes, 108);
  EXPECT_EQ(rows[1].allocation_count, 3);
  EXPECT_EQ(rows[1].allocation_bytes, 148);
}

TEST(Memory, AFoldedCallCountsOnce) {
  MemoryTraceBuilder builder;
  builder.Operator("aten::to", 0, 30);
  builder.Operator("aten::to", 5, 25);
  builder.Gpu(10, 100, 2);
  const std::vector<MemoryOperatorRow> rows = Describe(builder).devices[0].operators;
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].calls, 1);
  EXPECT_EQ(rows[0].size_increase_bytes, 100);
  EXPECT_EQ(rows[0].self_size_increase_bytes, 100);
}

TEST(Memory, OtherThreadsOwnTheirMemory) {
  MemoryTraceBuilder builder;
  builder.Operator("aten::mm", 0, 30, 1);
  builder.Operator("MulBackward0", 0, 30, 2);
  builder.Gpu(10, 100, 2, kNoInt, kNoInt, 2);
  const MemoryReport report = Describe(builder);
  EXPECT_EQ(TextOf(report, report.allocations[0].op), "MulBackward0");
}

TEST(Memory, SelectedStepsLimitTablesAndPeak) {
  MemoryTraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100);
  builder.Annotation("ProfilerStep#2", 100, 200);
  builder.Operator("aten::mm", 10, 20);
  builder.Operator("aten::relu", 110, 120);
  builder.Gpu(15, 100, 1, 900);
  builder.Gpu(16, -20, 9, 880);
  builder.Gpu(112, 60, 3, 500);
  AnalysisOptions options;
  options.first_step = 2;
  const MemoryReport report = Describe(builder, options);
  const DeviceMemory& device = report.devices[0];
  EXPECT_EQ(device.peak_allocated_bytes, 500);
  EXPECT_EQ(device.point_count, 1);
  EXPECT_EQ(device.allocation_count, 1);
  EXPECT_EQ(device.released_from_before_count, 0);
  ASSERT_THAT(report.allocations, SizeIs(1));
  ASSERT_THAT(device.operators, SizeIs(1));
  EXPECT_EQ(device.operators[0].name, "aten::relu");
  // What was there at the peak does not depend on the selection.
  EXPECT_EQ(device.at_peak->known_bytes, 160);
}

// Five steps; `leak` says how many bytes each leaves behind at address 100 + step.
MemoryTraceBuilder FiveSteps(std::initializer_list<int64_t> leak) {
  MemoryTraceBuilder builder;
  int64_t step = 0;
  for (const int64_t bytes : leak) {
    const int64_t start = step * 100;
    builder.Annotation("ProfilerStep#" + std::to_string(step), start, start + 100);
    builder.Operator("aten::cat", start + 10, start + 20);
    if (bytes > 0) builder.Gpu(start + 12, bytes, 100 + static_cast<uint64_t>(step));
    builder.Gpu(start + 13, 500, 7);
    builder.Gpu(start + 90, -500, 7);
    ++step;
  }
  return builder;
}

TEST(MemoryLeaks, ReportsWhatEveryStepLeavesBehind) {
  MemoryTraceBuilder builder = FiveSteps({64, 16, 8, 32, 64});
  const MemoryReport report = Describe(builder);
  EXPECT_EQ(report.leak_steps, 3);
  ASSERT_THAT(report.leaks, SizeIs(1));
  EXPECT_EQ(report.leaks[0].op, "aten::cat");
  EXPECT_EQ(report.leaks[0].bytes, 56);
  ASSERT_THAT(report.leaks[0].steps, SizeIs(3));
  EXPECT_EQ(report.leaks[0].steps[1].step, "2");
  EXPECT_EQ(report.leaks[0].steps[1].bytes, 8);
}

TEST(MemoryLeaks, OneCleanStepIsEnoughToAcquit) {
  MemoryTraceBuilder builder = FiveSteps({64, 16, 0, 32, 64});
  const MemoryReport report = Describe(builder);
  EXPECT_EQ(report.leak_steps, 3);
  EXPECT_THAT(report.leaks, IsEmpty());
}

TEST(MemoryLeaks, WhatIsReleasedTwoStepsLaterIsNoLeak) {
  MemoryTraceBuilder builder = FiveSteps({64, 16, 16, 16, 16});
  for (const int64_t step : {0, 1, 2})
    builder.Gpu(step * 100 + 250, -1, 100 + static_cast<uint64_t>(step));
  EXPECT_THAT(Describe(builder).leaks, IsEmpty());
}

TEST(MemoryLeaks, TooFewStepsTellNothing) {
  MemoryTraceBuilder builder = FiveSteps({64, 16, 16, 16});
  const MemoryReport report = Describe(builder);
  EXPECT_EQ(report.leak_steps, std::nullopt);
  EXPECT_THAT(report.leaks, IsEmpty());
}

TEST(MemoryCurve, ReducedKeepsExtremesAndEnd) {
  std::vector<MemoryPoint> points;
  for (int64_t i = 0; i < 100'000; ++i) points.push_back({i * 10, 1000 + i % 7, 5000});
  points[5003].allocated_bytes = 1;
  points[70'001].allocated_bytes = 9999;
  points[80'001].reserved_bytes = 7777;
  const std::vector<MemoryPoint> reduced = ReduceCurve(points);
  EXPECT_LE(reduced.size(), kMostCurvePoints);
  EXPECT_GE(reduced.size(), kMostCurvePoints / 2);
  for (const size_t kept : {size_t{5003}, size_t{70'001}, size_t{80'001}, points.size() - 1})
    EXPECT_THAT(reduced, testing::Contains(points[kept])) << kept;
  EXPECT_TRUE(std::is_sorted(
      reduced.begin(), reduced.end(),
      [](const MemoryPoint& a, const MemoryPoint& b) { return a.time_ns < b.time_ns; }));
}

TEST(MemoryCurve, KeepsNoMoreThanIsAskedFor) {
  std::vector<MemoryPoint> points;
  for (int64_t i = 0; i < 2000; ++i) points.push_back({i * 10, 1000 + i % 7, 5000});
  for (const size_t most : {size_t{1}, size_t{100}, size_t{1999}}) {
    EXPECT_LE(PointsToKeep(points, most).size(), std::max<size_t>(most, 4));
    EXPECT_EQ(PointsToKeep(points, most).back(), points.size() - 1);
  }
}

TEST(MemoryCurve, AShortOneIsKeptWhole) {
  std::vector<MemoryPoint> points(kMostCurvePoints, {5, 1, std::nullopt});
  EXPECT_EQ(ReduceCurve(points), points);
  points.push_back({5, 2, std::nullopt});  // all at one moment: one stretch
  EXPECT_LE(ReduceCurve(points).size(), 4U);
}

TEST(Memory, ExtremeTimesAndSizesDoNotOverflow) {
  MemoryTraceBuilder builder;
  builder.Operator("aten::mm", 0, INT64_MAX);
  builder.Gpu(INT64_MIN, INT64_MAX, 1, INT64_MAX, INT64_MIN + 1);
  builder.Gpu(INT64_MAX, INT64_MAX, 2, INT64_MIN + 1, INT64_MAX);
  builder.Gpu(INT64_MAX, INT64_MIN, 1, 0, 0);
  EXPECT_THAT(Describe(builder).devices, SizeIs(1));
}

TEST(Memory, ManyDevicesAreCountedBeyondTheFirst) {
  MemoryTraceBuilder builder;
  for (int32_t id = 0; id < 100; ++id) {
    builder.Gpu(id, 10, 1);
    builder.trace().memory.device_id.back() = id;
  }
  const MemoryReport report = Describe(builder);
  EXPECT_THAT(report.devices, SizeIs(kMostMemoryPlaces));
  EXPECT_EQ(report.left_out, 36);
}

TEST(Memory, NamesDevicesByTorchsNumbers) {
  EXPECT_EQ(MemoryTypeName(0), "cpu");
  EXPECT_EQ(MemoryTypeName(1), "cuda");
  EXPECT_EQ(MemoryTypeName(6), "hip");
  EXPECT_EQ(MemoryTypeName(12), "xpu");
  EXPECT_EQ(MemoryTypeName(19), "mtia");
  EXPECT_EQ(MemoryTypeName(20), "privateuseone");
  EXPECT_EQ(MemoryTypeName(21), "other");
  EXPECT_EQ(MemoryTypeName(-1), "other");
}

}  // namespace
}  // namespace telltale
