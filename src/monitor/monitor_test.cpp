// SPDX-License-Identifier: Apache-2.0
#include "monitor/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "monitor/test_machine.h"

namespace telltale {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Optional;

TEST(Monitor, FirstSampleIsRealAndLaterOnesAreSinceTheOneBefore) {
  const TestMachine machine;
  const TestMachine::Core base[] = {{0, 1000, 9000}, {1, 500, 9500}};
  machine.WriteCpu(base);
  Monitor monitor(machine.Options());
  const TestMachine::Core first[] = {{0, 1005, 9005}, {1, 510, 9500}};
  machine.WriteCpu(first);
  auto readings = monitor.Sample(kTestSecond + kTestSecond / 10);
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/system_percent"), Optional(75.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/core0_percent"), Optional(50.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/core1_percent"), Optional(100.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/online_cores"), Optional(2.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/running_tasks"), Optional(3.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/blocked_tasks"), Optional(1.0));
  const TestMachine::Core second[] = {{0, 1005, 9105}, {1, 510, 9600}};
  machine.WriteCpu(second);
  readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/system_percent"), Optional(0.0));
}

TEST(Monitor, CoresThatAreSwitchedOffAndOnAgain) {
  const TestMachine machine;
  const TestMachine::Core both[] = {{0, 0, 100}, {3, 50, 50}};
  machine.WriteCpu(both);
  Monitor monitor(machine.Options());
  const TestMachine::Core one[] = {{0, 0, 200}};
  machine.WriteCpu(one);
  auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/online_cores"), Optional(1.0));
  EXPECT_EQ(ValueOf(readings, "monitor/cpu/core3_percent"), std::nullopt);
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/core0_percent"), Optional(0.0));
  // Its counters begin anew, and a first sight of them is no load.
  const TestMachine::Core again[] = {{0, 0, 300}, {3, 90, 10}};
  machine.WriteCpu(again);
  readings = monitor.Sample(3 * kTestSecond);
  EXPECT_EQ(ValueOf(readings, "monitor/cpu/core3_percent"), std::nullopt);
  const TestMachine::Core later[] = {{0, 0, 400}, {3, 115, 85}};
  machine.WriteCpu(later);
  readings = monitor.Sample(4 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/core3_percent"), Optional(25.0));
}

TEST(Monitor, NoCoresAtAllAndNonsenseInPlaceOfNumbers) {
  const TestMachine machine;
  machine.Write("proc/stat", "cpu  x y z\n");
  machine.Write("proc/meminfo", "MemTotal:\n");
  Monitor monitor(machine.Options());
  machine.Write("proc/stat", "");
  auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_EQ(ValueOf(readings, "monitor/cpu/system_percent"), std::nullopt);
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/online_cores"), Optional(0.0));
  EXPECT_EQ(ValueOf(readings, "monitor/memory/used_bytes"), std::nullopt);
  machine.Write("proc/stat", "cpu99999999999999999999999999 1 2 3\ncpu\ncpu5");
  readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cpu/online_cores"), Optional(1.0));
}

TEST(Monitor, NamesWhatTheMachineLacks) {
  const TestMachine machine;
  Monitor monitor(machine.Options());
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("no processor load")));
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("no memory")));
  EXPECT_TRUE(monitor.Sample(2 * kTestSecond).empty());
}

TEST(Monitor, AClockThatStandsStillGivesTheSameReadings) {
  const TestMachine machine;
  machine.Write("proc/meminfo", "MemTotal: 100 kB\nMemFree: 20 kB\nMemAvailable: 40 kB\n");
  Monitor monitor(machine.Options());
  EXPECT_TRUE(monitor.Sample(kTestSecond).empty());
  const size_t size = monitor.Sample(2 * kTestSecond).size();
  EXPECT_GT(size, 0U);
  EXPECT_EQ(monitor.Sample(2 * kTestSecond).size(), size);
  EXPECT_EQ(monitor.Sample(kTestSecond).size(), size);
}

TEST(Memory, IsWhatProgramsCannotGet) {
  const TestMachine machine;
  machine.Write("proc/meminfo",
                "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  600 kB\nBuffers: 7 kB\n"
                "Cached:  300 kB\nSwapCached: 1 kB\nSwapTotal:  50 kB\nSwapFree:  20 kB\n"
                "Shmem:  64 kB\nShmemHugePages: 3 kB\n");
  Monitor monitor(machine.Options());
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/memory/used_bytes"), Optional(400.0 * 1024));
  EXPECT_THAT(ValueOf(readings, "monitor/memory/used_percent"), Optional(40.0));
  EXPECT_THAT(ValueOf(readings, "monitor/memory/cached_bytes"), Optional(300.0 * 1024));
  EXPECT_THAT(ValueOf(readings, "monitor/memory/shared_bytes"), Optional(64.0 * 1024));
  EXPECT_THAT(ValueOf(readings, "monitor/swap/used_bytes"), Optional(30.0 * 1024));
}

TEST(Memory, OfAnOldKernelIsFreeAndCached) {
  const TestMachine machine;
  machine.Write("proc/meminfo",
                "MemTotal:  1000 kB\nMemFree:  100 kB\nBuffers: 7 kB\nCached:  300 kB\n"
                "SwapTotal: 0 kB\nSwapFree: 0 kB\n");
  Monitor monitor(machine.Options());
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/memory/used_bytes"), Optional((1000.0 - 407) * 1024));
  EXPECT_EQ(ValueOf(readings, "monitor/swap/used_bytes"), std::nullopt);
}

TEST(Monitor, OfThisMachineHasAllTagsOnceAndInItsTable) {
  MonitorOptions options;
  options.root_pid = 1;
  Monitor monitor(options);
  const auto readings = monitor.Sample(MonitorClockNs() + kTestSecond);
  EXPECT_GT(readings.size(), 5U);
  for (size_t i = 0; i < readings.size(); ++i) {
    EXPECT_EQ(monitor.series()[readings[i].series].tag, readings[i].tag);
    for (size_t j = 0; j < i; ++j) EXPECT_NE(readings[i].series, readings[j].series);
  }
}

}  // namespace
}  // namespace telltale
