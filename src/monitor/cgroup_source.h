// SPDX-License-Identifier: Apache-2.0
// The control group a process is in (a container, a job of a cluster): what it may use, what it
// uses, and how often it was stopped or killed for using more. Version 1, 2 and both at once. Of
// the group and those around it the one with the tightest limit counts: that is where work is held
// up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/source.h"

namespace telltale {

class CgroupSource final : public MonitorSource {
 public:
  // pid 0: the group of this program.
  CgroupSource(const SourceSetup& setup, int pid);
  void Sample(const MonitorTick& tick, Readings& readings) override;

 private:
  struct Throttling {
    uint64_t periods = 0;
    uint64_t throttled_periods = 0;
    uint64_t throttled_ns = 0;
    uint64_t used_ns = 0;
  };
  // Folders from the group itself up to the outermost one that can be seen.
  using Chain = std::vector<std::string>;
  [[nodiscard]] std::string ReadText(const std::string& path);
  [[nodiscard]] std::optional<double> CpuLimit(const std::string& folder, bool is_v2);
  [[nodiscard]] std::optional<double> MemoryLimit(const std::string& folder, bool is_v2);
  void OpenCpu(const Chain& chain, bool is_v2, const Chain& accounting, Readings& readings);
  void OpenMemory(const Chain& chain, bool is_v2, Readings& readings);
  [[nodiscard]] Throttling ReadCpu();
  [[nodiscard]] uint64_t ReadOomKills();

  TextBuffer& buffer_;
  bool cpu_is_v2_ = false;
  bool memory_is_v2_ = false;
  std::string cpu_folder_;     // empty: none
  std::string memory_folder_;  // empty: none
  KeptFile cpu_stat_;
  KeptFile cpu_usage_;  // version 1
  KeptFile memory_now_;
  KeptFile memory_events_;
  Throttling cpu_;
  uint64_t throttled_ns_ = 0;  // since the start
  uint64_t first_oom_kills_ = 0;
  std::optional<double> cpu_limit_, memory_limit_;
  uint32_t cores_ = 0, core_limit_ = 0, throttled_periods_ = 0, throttled_seconds_ = 0;
  uint32_t memory_ = 0, memory_share_ = 0, memory_limit_series_ = 0, oom_kills_ = 0;
};

}  // namespace telltale
