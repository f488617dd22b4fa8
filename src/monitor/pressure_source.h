// SPDX-License-Identifier: Apache-2.0
// Pressure stall information: how long threads had to wait for a core, for memory, for a disk
// (/proc/pressure). From the exact totals, not from the kernel's averages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "monitor/source.h"

namespace telltale {

class PressureSource final : public MonitorSource {
 public:
  explicit PressureSource(const SourceSetup& setup);
  void Sample(const MonitorTick& tick, Readings& readings) override;

 private:
  struct Totals {
    uint64_t some_us = 0;
    uint64_t full_us = 0;
  };
  struct Resource {
    KeptFile file;
    Totals totals;
    uint32_t some = 0;
    std::optional<uint32_t> full;  // of processors the machine as a whole has none
  };
  bool Read(Resource& resource, Totals& totals);

  TextBuffer& buffer_;
  std::array<Resource, 3> resources_;
};

}  // namespace telltale
