// SPDX-License-Identifier: Apache-2.0
// AMD GPUs by the files of their kernel driver (/sys/class/drm/card*/device). Energy is power times
// time: the driver has no counter there. pcie_bw is left alone: reading it takes a second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/energy_meter.h"
#include "monitor/monitor.h"
#include "monitor/source.h"

namespace telltale {

class AmdGpuSource final : public MonitorSource {
 public:
  // The first GPU gets the number `first`; those found are added to `devices`.
  AmdGpuSource(const SourceSetup& setup, size_t first, std::vector<MonitoredDevice>& devices);
  void Sample(const MonitorTick& tick, Readings& readings) override;
  [[nodiscard]] size_t count() const { return gpus_.size(); }

 private:
  // A file with one number, times a factor.
  struct Value {
    KeptFile file;
    double factor = 1;
    uint32_t series = 0;
  };
  struct Gpu {
    std::vector<Value> values;  // read and put as they are
    Value used, total;          // memory
    Value power;
    uint32_t used_share = 0;
    uint32_t energy = 0;
    EnergyMeter meter;
  };
  [[nodiscard]] std::optional<double> Read(Value& value);
  void Open(const SourceSetup& setup, const std::string& folder, const std::string& number);

  TextBuffer& buffer_;
  std::vector<Gpu> gpus_;
};

}  // namespace telltale
