// SPDX-License-Identifier: Apache-2.0
// Processors, of the whole machine and one by one: /proc/stat.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitor/source.h"

namespace telltale {

class CpuSource final : public MonitorSource {
 public:
  explicit CpuSource(const SourceSetup& setup);
  void Sample(const MonitorTick& tick, Readings& readings) override;

  // Processes and threads that were ever started on this machine: while it stays the same there is
  // no new one. 0: not known.
  [[nodiscard]] uint64_t forks() const { return forks_; }
  // At the last sample.
  [[nodiscard]] uint32_t online_cores() const { return online_cores_; }

 private:
  // user, nice, system, idle, iowait, irq, softirq, steal, in ticks; guests are in user already.
  using Times = std::array<uint64_t, 8>;
  struct Core {
    Times times{};
    uint64_t sample = 0;  // in which it was seen last
    std::optional<uint32_t> series;
  };
  struct Shares {
    double busy = 0;
    double io_wait = 0;
    double steal = 0;
  };
  // nullopt: no tick has passed.
  static std::optional<Shares> SharesOf(const Times& now, const Times& before);
  void Read(Readings* readings);

  KeptFile stat_;
  TextBuffer& buffer_;
  Times all_{};
  std::vector<Core> cores_;  // by their number; there may be holes
  uint64_t samples_ = 0;
  uint64_t forks_ = 0;
  uint32_t online_cores_ = 0;
  uint32_t system_ = 0, io_wait_ = 0, steal_ = 0, online_ = 0, running_ = 0, blocked_ = 0;
};

}  // namespace telltale
