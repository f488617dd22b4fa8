// SPDX-License-Identifier: Apache-2.0
#include "monitor/metrics.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace telltale {

namespace {

using enum Metric;
using enum MetricUnit;
using enum MetricKind;

constexpr auto kMetrics = std::to_array<MetricSpec>({
    {kCpuSystem, "cpu", "system_percent", kPercent, kLevel,
     "busy share of all cores; 100 is every core busy"},
    {kCpuIoWait, "cpu", "iowait_percent", kPercent, kLevel,
     "share of all cores' time that was idle while a disk was waited for"},
    {kCpuSteal, "cpu", "steal_percent", kPercent, kLevel,
     "share of all cores' time that the host gave to other virtual machines"},
    {kCpuCore, "cpu", "core<i>_percent", kPercent, kLevel, "busy share of one core"},
    {kCpuOnline, "cpu", "online_cores", kCores, kLimit, "cores that are switched on"},
    {kCpuRunning, "cpu", "running_tasks", kCount, kLevel,
     "threads of the whole machine that run or want to, at the moment of the sample"},
    {kCpuBlocked, "cpu", "blocked_tasks", kCount, kLevel,
     "threads of the whole machine that wait for a disk, at the moment of the sample"},
    {kMemoryUsed, "memory", "used_bytes", kBytes, kLevel,
     "memory that programs cannot get: total minus available"},
    {kMemoryUsedShare, "memory", "used_percent", kPercent, kLevel,
     "memory that programs cannot get, as a share of the total"},
    {kMemoryAvailable, "memory", "available_bytes", kBytes, kLevel,
     "memory that programs can get without swapping"},
    {kMemoryCached, "memory", "cached_bytes", kBytes, kLevel, "contents of files kept in memory"},
    {kMemoryShared, "memory", "shared_bytes", kBytes, kLevel,
     "shared memory and tmpfs, where data loaders hand over batches"},
    {kMemoryTotal, "memory", "total_bytes", kBytes, kLimit, "memory of the machine"},
    {kSwapUsed, "swap", "used_bytes", kBytes, kLevel, "memory that was moved to disk"},
    {kSwapTotal, "swap", "total_bytes", kBytes, kLimit, "room for memory on disk"},
    {kProcessCpu, "process", "cpu_percent", kPercent, kLevel,
     "processor time of the watched process and all its children; 100 is one core"},
    {kProcessCpuSeconds, "process", "cpu_seconds", kSeconds, kTotal,
     "processor time of the tree since the start, children that have ended included"},
    {kProcessRss, "process", "rss_bytes", kBytes, kLevel,
     "resident memory of the tree; what processes share counts for each of them"},
    {kProcessPss, "process", "pss_bytes", kBytes, kLevel,
     "resident memory of the tree, what is shared counted once; now and then, as it is slow"},
    {kProcessCount, "process", "processes", kCount, kLevel, "processes of the tree"},
    {kProcessThreads, "process", "threads", kCount, kLevel, "threads of the tree"},
    {kProcessRead, "process", "read_bytes_per_s", kBytesPerSecond, kLevel,
     "what the tree had read from disks"},
    {kProcessWritten, "process", "write_bytes_per_s", kBytesPerSecond, kLevel,
     "what the tree had written to disks"},
    {kProcessMajorFaults, "process", "major_faults_per_s", kPerSecond, kLevel,
     "memory accesses of the tree that waited for a disk"},
    {kDiskRead, "disk_<name>", "read_bytes_per_s", kBytesPerSecond, kLevel,
     "read from a disk, by all processes"},
    {kDiskWritten, "disk_<name>", "write_bytes_per_s", kBytesPerSecond, kLevel,
     "written to a disk, by all processes"},
    {kDiskBusy, "disk_<name>", "busy_percent", kPercent, kLevel,
     "share of the time with a request under way"},
    {kFolderFree, "disk", "free_bytes", kBytes, kLevel,
     "room left where the recording is written; now and then"},
    {kNetReceived, "net_<name>", "received_bytes_per_s", kBytesPerSecond, kLevel,
     "received by a network interface, for all processes"},
    {kNetSent, "net_<name>", "sent_bytes_per_s", kBytesPerSecond, kLevel,
     "sent by a network interface, for all processes"},
    {kPressureCpuSome, "pressure", "cpu_some_percent", kPercent, kLevel,
     "share of the time in which some thread waited for a core"},
    {kPressureMemorySome, "pressure", "memory_some_percent", kPercent, kLevel,
     "share of the time in which some thread waited for memory"},
    {kPressureMemoryFull, "pressure", "memory_full_percent", kPercent, kLevel,
     "share of the time in which all threads waited for memory"},
    {kPressureIoSome, "pressure", "io_some_percent", kPercent, kLevel,
     "share of the time in which some thread waited for a disk"},
    {kPressureIoFull, "pressure", "io_full_percent", kPercent, kLevel,
     "share of the time in which all threads waited for a disk"},
    {kCgroupCpu, "cgroup", "cpu_cores", kCores, kLevel,
     "cores in use by the control group (container, job) with the tightest limit"},
    {kCgroupCpuLimit, "cgroup", "cpu_limit_cores", kCores, kLimit,
     "cores that control group may use"},
    {kCgroupThrottledPeriods, "cgroup", "throttled_periods_percent", kPercent, kLevel,
     "share of scheduling periods in which that control group was stopped at its limit"},
    {kCgroupThrottledSeconds, "cgroup", "throttled_seconds", kSeconds, kTotal,
     "how long that control group was stopped, added over cores"},
    {kCgroupMemory, "cgroup", "memory_bytes", kBytes, kLevel,
     "memory of the control group with the tightest limit, cached files included"},
    {kCgroupMemoryShare, "cgroup", "memory_percent", kPercent, kLevel,
     "memory of that control group, as a share of its limit"},
    {kCgroupMemoryLimit, "cgroup", "memory_limit_bytes", kBytes, kLimit,
     "memory that control group may use"},
    {kCgroupOomKills, "cgroup", "oom_kills", kCount, kTotal,
     "processes killed because the memory of that control group ran out"},
    {kGpuUtilization, "gpu<i>", "utilization_percent", kPercent, kLevel,
     "share of the time in which any kernel ran; says nothing about how much of the GPU it used"},
    {kGpuMemoryController, "gpu<i>", "memory_controller_percent", kPercent, kLevel,
     "share of the time in which device memory was read or written"},
    {kGpuMemoryUsed, "gpu<i>", "memory_used_bytes", kBytes, kLevel,
     "device memory in use, by all processes"},
    {kGpuMemoryUsedShare, "gpu<i>", "memory_used_percent", kPercent, kLevel,
     "device memory in use, as a share of the total"},
    {kGpuMemoryTotal, "gpu<i>", "memory_total_bytes", kBytes, kLimit, "device memory"},
    {kGpuProcessMemory, "gpu<i>", "process_memory_bytes", kBytes, kLevel,
     "device memory of the watched process and its children"},
    {kGpuPower, "gpu<i>", "power_watts", kWatts, kLevel, "power the GPU draws"},
    {kGpuPowerLimit, "gpu<i>", "power_limit_watts", kWatts, kLimit, "power the GPU may draw"},
    {kGpuEnergy, "gpu<i>", "energy_joules", kJoules, kTotal,
     "energy: the device's counter, or else power times time"},
    {kGpuTemperature, "gpu<i>", "temperature_celsius", kCelsius, kLevel, "temperature of the GPU"},
    {kGpuClock, "gpu<i>", "clock_mhz", kMegahertz, kLevel, "clock of the multiprocessors"},
    {kGpuMemoryClock, "gpu<i>", "memory_clock_mhz", kMegahertz, kLevel, "clock of the memory"},
    {kGpuThrottled, "gpu<i>", "throttled", kCount, kLevel,
     "1 while the clock is held down by power or temperature, else 0"},
    {kGpuThrottleReasons, "gpu<i>", "throttle_reasons", kCount, kLevel,
     "why the clock is held down, as the sum of NVML's clocksEventReasons"},
    {kGpuPcieReceived, "gpu<i>", "pcie_received_bytes_per_s", kBytesPerSecond, kLevel,
     "host to device over PCIe, during 20 ms; now and then"},
    {kGpuPcieSent, "gpu<i>", "pcie_sent_bytes_per_s", kBytesPerSecond, kLevel,
     "device to host over PCIe, during 20 ms; now and then"},
    {kRaplPower, "rapl_<name>", "power_watts", kWatts, kLevel,
     "power of a processor package or a part of it"},
    {kRaplEnergy, "rapl_<name>", "energy_joules", kJoules, kTotal,
     "energy of a processor package or a part of it"},
});

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kMetrics.size(); ++i) {
    if (static_cast<size_t>(kMetrics[i].metric) != i) return false;
  }
  return kMetrics.size() == static_cast<size_t>(kRaplEnergy) + 1;
}
static_assert(IsInOrder());

}  // namespace

std::string_view UnitName(MetricUnit unit) {
  switch (unit) {
    case kPercent:
      return "percent";
    case kBytes:
      return "bytes";
    case kBytesPerSecond:
      return "bytes/s";
    case kPerSecond:
      return "1/s";
    case kCores:
      return "cores";
    case kCount:
      return "count";
    case kSeconds:
      return "s";
    case kWatts:
      return "W";
    case kJoules:
      return "J";
    case kCelsius:
      return "°C";
    case kMegahertz:
      return "MHz";
  }
  return "";
}

std::span<const MetricSpec> Metrics() { return kMetrics; }

const MetricSpec& SpecOf(Metric metric) { return kMetrics[static_cast<size_t>(metric)]; }

std::string MetricsMarkdown() {
  std::string out = "| tag | unit | kind | meaning |\n|---|---|---|---|\n";
  for (const MetricSpec& spec : kMetrics) {
    const std::string_view kind = spec.kind == kLevel   ? "level"
                                  : spec.kind == kTotal ? "total"
                                                        : "limit";
    out += fmt::format("| `monitor/{}/{}` | {} | {} | {} |\n", spec.device, spec.name,
                       UnitName(spec.unit), kind, spec.help);
  }
  return out;
}

}  // namespace telltale
