// SPDX-License-Identifier: Apache-2.0
// A source of readings: one part of the machine. It opens its files when it is made, takes the base
// of its counters then, and reads them at every sample. What it does not find it says once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/kept_file.h"
#include "monitor/readings.h"

namespace telltale {

struct MonitorTick {
  int64_t now_ns = 0;
  double elapsed_s = 0;  // since the tick before; above 0
  bool is_slow = false;  // one of those now and then, at which costly things are read, too
};

// What sources are made with.
struct SourceSetup {
  const std::string& proc_root;  // /proc, without a slash at its end
  const std::string& sys_root;
  TextBuffer& buffer;
  Readings& readings;
  std::vector<std::string>& lacking;  // sentences without a full stop
};

class MonitorSource {
 public:
  MonitorSource() = default;
  MonitorSource(const MonitorSource&) = delete;
  MonitorSource& operator=(const MonitorSource&) = delete;
  virtual ~MonitorSource() = default;
  virtual void Sample(const MonitorTick& tick, Readings& readings) = 0;
};

}  // namespace telltale
