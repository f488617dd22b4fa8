// SPDX-License-Identifier: Apache-2.0
// Everything the monitor can measure: one table of names, units and meanings, from which tags, the
// document and the terminal's page follow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace telltale {

// In the order of the table.
enum class Metric : uint8_t {
  kCpuSystem,
  kCpuIoWait,
  kCpuSteal,
  kCpuCore,
  kCpuOnline,
  kCpuRunning,
  kCpuBlocked,
  kMemoryUsed,
  kMemoryUsedShare,
  kMemoryAvailable,
  kMemoryCached,
  kMemoryShared,
  kMemoryTotal,
  kSwapUsed,
  kSwapTotal,
  kProcessCpu,
  kProcessCpuSeconds,
  kProcessRss,
  kProcessPss,
  kProcessCount,
  kProcessThreads,
  kProcessRead,
  kProcessWritten,
  kProcessMajorFaults,
  kDiskRead,
  kDiskWritten,
  kDiskBusy,
  kFolderFree,
  kNetReceived,
  kNetSent,
  kPressureCpuSome,
  kPressureMemorySome,
  kPressureMemoryFull,
  kPressureIoSome,
  kPressureIoFull,
  kCgroupCpu,
  kCgroupCpuLimit,
  kCgroupThrottledPeriods,
  kCgroupThrottledSeconds,
  kCgroupMemory,
  kCgroupMemoryShare,
  kCgroupMemoryLimit,
  kCgroupOomKills,
  kGpuUtilization,
  kGpuMemoryController,
  kGpuMemoryUsed,
  kGpuMemoryUsedShare,
  kGpuMemoryTotal,
  kGpuProcessMemory,
  kGpuPower,
  kGpuPowerLimit,
  kGpuEnergy,
  kGpuTemperature,
  kGpuClock,
  kGpuMemoryClock,
  kGpuThrottled,
  kGpuThrottleReasons,
  kGpuPcieReceived,
  kGpuPcieSent,
  kRaplPower,
  kRaplEnergy,
};

enum class MetricUnit : uint8_t {
  kPercent,
  kBytes,
  kBytesPerSecond,
  kPerSecond,
  kCores,
  kCount,
  kSeconds,
  kWatts,
  kJoules,
  kCelsius,
  kMegahertz,
};
[[nodiscard]] std::string_view UnitName(MetricUnit unit);

enum class MetricKind : uint8_t {
  kLevel,  // as it is, or was on average since the sample before
  kTotal,  // adds up from the start of the monitor on
  kLimit,  // changes hardly ever: recorded when it does
};

struct MetricSpec {
  Metric metric;
  // The tag is monitor/DEVICE/NAME; at most one of the two has a placeholder in <>.
  std::string_view device;
  std::string_view name;
  MetricUnit unit;
  MetricKind kind;
  std::string_view help;  // a sentence without its full stop
};

[[nodiscard]] std::span<const MetricSpec> Metrics();
[[nodiscard]] const MetricSpec& SpecOf(Metric metric);
// As docs/monitor.md has it.
[[nodiscard]] std::string MetricsMarkdown();

}  // namespace telltale
