// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs, by their driver's management library. What a device says it does not support is not
// asked for again; a device that is lost is named once and left alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monitor/energy_meter.h"
#include "monitor/monitor.h"
#include "monitor/nvml.h"
#include "monitor/source.h"

namespace telltale {

class ProcessSource;

class NvmlSource final : public MonitorSource {
 public:
  // `processes`: whose memory on the GPU is told apart; may be null, else sampled before. Devices
  // found are added to `devices`.
  NvmlSource(const SourceSetup& setup, const std::string& library, const ProcessSource* processes,
             std::vector<MonitoredDevice>& devices);
  ~NvmlSource() override;
  void Sample(const MonitorTick& tick, Readings& readings) override;
  [[nodiscard]] size_t count() const { return gpus_.size(); }

 private:
  // What can be asked, as a bit of Gpu::lacks.
  enum Query : uint16_t {
    kUtilization,
    kMemory,
    kMemoryV2,
    kPower,
    kPowerLimit,
    kEnergy,
    kTemperature,
    kClock,
    kMemoryClock,
    kThrottle,
    kPcieReceived,
    kPcieSent,
    kProcesses,
    kQueries,
  };
  struct Gpu {
    nvml::Device device = nullptr;
    std::string tag_part;  // its number
    bool is_lost = false;
    uint16_t lacks = 0;
    EnergyMeter meter{1e-3};
    uint32_t utilization = 0, memory_controller = 0, used = 0, used_share = 0, total = 0;
    uint32_t process_memory = 0, power = 0, power_limit = 0, energy = 0, temperature = 0;
    uint32_t clock = 0, memory_clock = 0, throttled = 0, throttle_reasons = 0;
    uint32_t pcie_received = 0, pcie_sent = 0;
  };
  // Whether the call gave an answer; notes why not.
  template <typename Function, typename... Arguments>
  bool Ask(Gpu& gpu, Query query, Function* function, Arguments... arguments);
  void SampleMemory(Gpu& gpu, Readings& readings);
  void SamplePower(Gpu& gpu, const MonitorTick& tick, Readings& readings);
  void SampleProcesses(Gpu& gpu, Readings& readings);

  const ProcessSource* processes_;
  std::vector<std::string>& lacking_;
  std::unique_ptr<nvml::Library> library_;  // null: there is none
  std::vector<Gpu> gpus_;
  std::vector<nvml::ProcessInfo> running_;
};

}  // namespace telltale
