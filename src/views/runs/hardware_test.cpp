// SPDX-License-Identifier: Apache-2.0
#include "views/runs/hardware.h"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

namespace telltale {
namespace {

// "device|metric|unit", with what else is known.
std::string Read(std::string_view tag) {
  const std::optional<HardwareTag> what = ParseHardwareTag(tag);
  if (!what) return "none";
  return fmt::format("{}|{}|{}{}{}{}{}", what->device, what->metric, ScaleOf(what->unit, 1).unit,
                     what->rank ? fmt::format("|rank {}", *what->rank) : "",
                     what->is_core ? "|core" : "", what->is_counter ? "|counter" : "",
                     what->is_limit ? "|limit" : "");
}

TEST(HardwareTag, SaysDeviceMetricAndUnit) {
  EXPECT_EQ(Read("monitor/cpu/system_percent"), "CPU|System|%");
  EXPECT_EQ(Read("monitor/cpu/core12_percent"), "CPU core 12||%|core");
  EXPECT_EQ(Read("monitor/cpu/core/12_percent"), "CPU core 12||%|core");
  EXPECT_EQ(Read("monitor/gpu0/utilization_percent"), "GPU 0|Utilization|%");
  EXPECT_EQ(Read("monitor/gpu/1/memory_used_bytes"), "GPU 1|Memory used|B");
  EXPECT_EQ(Read("monitor/gpu0/energy_joules"), "GPU 0|Energy|Wh|counter");
  EXPECT_EQ(Read("monitor/gpu0/power_limit_watts"), "GPU 0|Power limit|W|limit");
  EXPECT_EQ(Read("monitor/memory/total_bytes"), "Memory|Total|B|limit");
  EXPECT_EQ(Read("monitor/disk_nvme0n1/read_bytes_per_s"), "Disk nvme0n1|Read|B/s");
  EXPECT_EQ(Read("monitor/net_eth0/sent_bytes_per_s"), "Network eth0|Sent|B/s");
  EXPECT_EQ(Read("monitor/rapl_package-0_dram/energy_joules"),
            "RAPL package-0 dram|Energy|Wh|counter");
  EXPECT_EQ(Read("monitor/process/cpu_seconds"), "Process|CPU|s|counter");
  EXPECT_EQ(Read("monitor/cgroup/oom_kills"), "Control group|Oom kills||counter");
  EXPECT_EQ(Read("monitor/gpu0/throttled"), "GPU 0|Throttled|");
}

TEST(HardwareTag, KnowsRanksAndWhatIsNoHardware) {
  EXPECT_EQ(Read("monitor/rank-3/gpu0/utilization_percent"), "GPU 0|Utilization|%|rank 3");
  EXPECT_EQ(Read("rank1/monitor/cpu/system_percent"), "CPU|System|%|rank 1");
  EXPECT_EQ(Read("node2-17/monitor/cpu/system_percent"), "CPU on node2-17|System|%");
  EXPECT_EQ(Read("monitor/"), "none");
  EXPECT_EQ(Read("train/loss"), "none");
  EXPECT_EQ(Read("monitors/x"), "none");
  EXPECT_EQ(Read("monitor/x"), "X||");
}

TEST(HardwareScale, FitsTheLargestValue) {
  EXPECT_EQ(ScaleOf(HardwareUnit::kBytes, 3e10).unit, "GiB");
  EXPECT_EQ(ScaleOf(HardwareUnit::kBytes, 10).unit, "B");
  EXPECT_EQ(ScaleOf(HardwareUnit::kBytesPerSecond, 5e6).unit, "MiB/s");
}

}  // namespace
}  // namespace telltale
