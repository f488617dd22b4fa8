// SPDX-License-Identifier: Apache-2.0
// What a command line of `telltale monitor` asks for, checked before anything starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "views/render/terminal.h"

namespace telltale {

struct MonitorRequest {
  int64_t interval_ns = 0;
  int64_t count = 0;  // of samples; 0: until it is stopped
  int pid = 0;        // of a process to watch; 0: none
  std::string into;   // a folder; empty: nothing is recorded
  bool json = false;
  bool quiet = false;
  StyleRequest style;
  std::vector<std::string> command;  // to run and watch; empty: none
};

[[nodiscard]] CommandSpec MonitorCommandSpec();
// Errors are kUsage.
[[nodiscard]] Result<MonitorRequest> MakeMonitorRequest(const Arguments& arguments);

}  // namespace telltale
