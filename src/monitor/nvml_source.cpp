// SPDX-License-Identifier: Apache-2.0
#include "monitor/nvml_source.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "monitor/process_source.h"

namespace telltale {

namespace {

constexpr unsigned kMostGpus = 256;
constexpr size_t kFirstProcesses = 64;
constexpr size_t kMostProcesses = 65'536;
constexpr double kMilli = 1e-3;

}  // namespace

NvmlSource::NvmlSource(const SourceSetup& setup, const std::string& library,
                       const ProcessSource* processes, std::vector<MonitoredDevice>& devices)
    : processes_(processes), lacking_(setup.lacking) {
  Result<std::unique_ptr<nvml::Library>> loaded = nvml::Library::Load(library);
  if (!loaded) {
    lacking_.push_back(loaded.error().message);
    return;
  }
  library_ = std::move(*loaded);
  unsigned count = 0;
  if (library_->count(&count) != nvml::kSuccess) count = 0;
  count = std::min(count, kMostGpus);
  if (count == 0) lacking_.emplace_back("no NVIDIA GPUs: their driver is there, but finds none");
  running_.resize(kFirstProcesses);
  for (unsigned i = 0; i < count; ++i) {
    Gpu gpu;
    gpu.tag_part = std::to_string(i);
    if (library_->handle_by_index(i, &gpu.device) != nvml::kSuccess) {
      // Another one must not get its number.
      gpu.is_lost = true;
      lacking_.push_back(fmt::format("nothing of gpu{}: its driver does not let it be opened", i));
      gpus_.push_back(std::move(gpu));
      continue;
    }
    std::array<char, 97> name{};
    if (library_->name != nullptr) (void)library_->name(gpu.device, name.data(), 96);
    devices.push_back({"gpu" + gpu.tag_part, name.data()});
    const auto add = [&](Metric metric) { return setup.readings.Add(metric, gpu.tag_part); };
    gpu.utilization = add(Metric::kGpuUtilization);
    gpu.memory_controller = add(Metric::kGpuMemoryController);
    gpu.used = add(Metric::kGpuMemoryUsed);
    gpu.used_share = add(Metric::kGpuMemoryUsedShare);
    gpu.total = add(Metric::kGpuMemoryTotal);
    if (processes_ != nullptr) gpu.process_memory = add(Metric::kGpuProcessMemory);
    gpu.power = add(Metric::kGpuPower);
    gpu.power_limit = add(Metric::kGpuPowerLimit);
    gpu.energy = add(Metric::kGpuEnergy);
    gpu.temperature = add(Metric::kGpuTemperature);
    gpu.clock = add(Metric::kGpuClock);
    gpu.memory_clock = add(Metric::kGpuMemoryClock);
    gpu.throttled = add(Metric::kGpuThrottled);
    gpu.throttle_reasons = add(Metric::kGpuThrottleReasons);
    gpu.pcie_received = add(Metric::kGpuPcieReceived);
    gpu.pcie_sent = add(Metric::kGpuPcieSent);
    unsigned long long energy = 0;
    if (Ask(gpu, kEnergy, library_->energy_mj, &energy)) gpu.meter.Count(energy);
    gpus_.push_back(std::move(gpu));
  }
}

NvmlSource::~NvmlSource() = default;

template <typename Function, typename... Arguments>
bool NvmlSource::Ask(Gpu& gpu, Query query, Function* function, Arguments... arguments) {
  static_assert(kQueries <= 16);
  const auto bit = static_cast<uint16_t>(1U << query);
  if (gpu.is_lost || (gpu.lacks & bit) != 0) return false;
  const int code =
      function == nullptr ? nvml::kFunctionNotFound : function(gpu.device, arguments...);
  if (code == nvml::kSuccess) return true;
  if (code == nvml::kNotSupported || code == nvml::kFunctionNotFound) {
    gpu.lacks = static_cast<uint16_t>(gpu.lacks | bit);
  } else if (code == nvml::kGpuIsLost) {
    gpu.is_lost = true;
    lacking_.push_back(
        fmt::format("gpu{} is lost: its driver cannot reach it any more", gpu.tag_part));
  }
  return false;
}

void NvmlSource::Sample(const MonitorTick& tick, Readings& readings) {
  for (Gpu& gpu : gpus_) {
    if (nvml::Utilization rates{}; Ask(gpu, kUtilization, library_->utilization, &rates)) {
      readings.Put(gpu.utilization, rates.gpu);
      readings.Put(gpu.memory_controller, rates.memory);
    }
    SampleMemory(gpu, readings);
    SampleProcesses(gpu, readings);
    SamplePower(gpu, tick, readings);
    if (unsigned celsius = 0;
        Ask(gpu, kTemperature, library_->temperature, nvml::kTemperatureGpu, &celsius)) {
      readings.Put(gpu.temperature, celsius);
    }
    if (unsigned mhz = 0; Ask(gpu, kClock, library_->clock_mhz, nvml::kClockSm, &mhz)) {
      readings.Put(gpu.clock, mhz);
    }
    if (unsigned mhz = 0; Ask(gpu, kMemoryClock, library_->clock_mhz, nvml::kClockMemory, &mhz)) {
      readings.Put(gpu.memory_clock, mhz);
    }
    if (unsigned long long bits = 0; Ask(gpu, kThrottle, library_->throttle_reasons, &bits)) {
      readings.Put(gpu.throttled, (bits & nvml::kThrottledBits) != 0 ? 1 : 0);
      readings.Put(gpu.throttle_reasons, static_cast<double>(bits));
    }
    if (!tick.is_slow) continue;  // each of these two waits for 20 ms
    if (unsigned kilobytes = 0;
        Ask(gpu, kPcieReceived, library_->pcie_kb_per_s, nvml::kPcieReceived, &kilobytes)) {
      readings.Put(gpu.pcie_received, 1000.0 * kilobytes);
    }
    if (unsigned kilobytes = 0;
        Ask(gpu, kPcieSent, library_->pcie_kb_per_s, nvml::kPcieSent, &kilobytes)) {
      readings.Put(gpu.pcie_sent, 1000.0 * kilobytes);
    }
  }
}

void NvmlSource::SampleMemory(Gpu& gpu, Readings& readings) {
  // The second version does not count what the driver reserves as used.
  nvml::MemoryV2 memory{};
  memory.version = sizeof(nvml::MemoryV2) | (2U << 24);
  bool is_known = Ask(gpu, kMemoryV2, library_->memory_v2, &memory);
  if (!is_known) {
    if (nvml::Memory plain{}; Ask(gpu, kMemory, library_->memory, &plain)) {
      memory.total = plain.total;
      memory.used = plain.used;
      is_known = true;
    }
  }
  if (!is_known) return;
  readings.Put(gpu.used, static_cast<double>(memory.used));
  readings.Put(gpu.total, static_cast<double>(memory.total));
  if (memory.total > 0) {
    readings.Put(gpu.used_share,
                 100 * static_cast<double>(memory.used) / static_cast<double>(memory.total));
  }
}

void NvmlSource::SamplePower(Gpu& gpu, const MonitorTick& tick, Readings& readings) {
  unsigned milliwatts = 0;
  const bool has_power = Ask(gpu, kPower, library_->power_mw, &milliwatts);
  if (has_power) readings.Put(gpu.power, kMilli * milliwatts);
  unsigned long long millijoules = 0;
  if (Ask(gpu, kEnergy, library_->energy_mj, &millijoules)) {
    gpu.meter.Count(millijoules);
    readings.Put(gpu.energy, gpu.meter.joules());
  } else if (has_power && (gpu.lacks & (1U << kEnergy)) != 0) {  // before Volta
    gpu.meter.Add(kMilli * milliwatts, tick.elapsed_s);
    readings.Put(gpu.energy, gpu.meter.joules());
  }
  if (unsigned limit = 0; Ask(gpu, kPowerLimit, library_->power_limit_mw, &limit)) {
    readings.Put(gpu.power_limit, kMilli * limit);
  }
}

// In a container the driver may tell the numbers that processes have outside, of which none is
// ours: nothing is said then.
void NvmlSource::SampleProcesses(Gpu& gpu, Readings& readings) {
  if (processes_ == nullptr || gpu.is_lost || (gpu.lacks & (1U << kProcesses)) != 0) return;
  if (library_->processes == nullptr) return;
  auto count = static_cast<unsigned>(running_.size());
  int code = library_->processes(gpu.device, &count, running_.data());
  while (code == nvml::kInsufficientSize && running_.size() < kMostProcesses) {
    running_.resize(std::max<size_t>(running_.size() * 2, count + 16));
    count = static_cast<unsigned>(running_.size());
    code = library_->processes(gpu.device, &count, running_.data());
  }
  if (code == nvml::kNotSupported) gpu.lacks = static_cast<uint16_t>(gpu.lacks | 1U << kProcesses);
  if (code != nvml::kSuccess) return;
  double bytes = 0;
  bool any = false;
  count = std::min(count, static_cast<unsigned>(running_.size()));
  for (const nvml::ProcessInfo& info : std::span(running_).first(count)) {
    const bool is_known = info.used_bytes != ~0ULL;
    if (!is_known || !std::ranges::binary_search(processes_->pids(), static_cast<int>(info.pid))) {
      continue;
    }
    bytes += static_cast<double>(info.used_bytes);
    any = true;
  }
  if (any || count == 0) readings.Put(gpu.process_memory, bytes);
}

}  // namespace telltale
