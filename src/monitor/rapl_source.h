// SPDX-License-Identifier: Apache-2.0
// Energy of processor packages and their parts (RAPL), by /sys/class/powercap. Its counters wrap
// after a few minutes of full load: samples further apart than that lose a turn.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor/energy_meter.h"
#include "monitor/source.h"

namespace telltale {

class RaplSource final : public MonitorSource {
 public:
  explicit RaplSource(const SourceSetup& setup);
  void Sample(const MonitorTick& tick, Readings& readings) override;

 private:
  struct Zone {
    KeptFile energy;
    EnergyMeter meter;
    uint32_t power = 0;
    uint32_t total = 0;
  };
  TextBuffer& buffer_;
  std::vector<Zone> zones_;
};

}  // namespace telltale
