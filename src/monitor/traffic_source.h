// SPDX-License-Identifier: Apache-2.0
// Disks (/proc/diskstats) and network interfaces (/proc/net/dev), each by its name. A device gets
// its series when it first has traffic; one that appears later counts from then on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/source.h"

namespace telltale {

class DiskSource final : public MonitorSource {
 public:
  explicit DiskSource(const SourceSetup& setup);
  void Sample(const MonitorTick& tick, Readings& readings) override;

 private:
  struct Counters {
    uint64_t read_sectors = 0;
    uint64_t written_sectors = 0;
    uint32_t busy_ms = 0;  // wraps, as the kernel's does
  };
  struct Disk {
    std::string name;
    bool is_device = false;  // no partition, nothing that lies upon other disks
    Counters counters;
    uint64_t sample = 0;  // in which it was seen last
    std::optional<uint32_t> read, written, busy;
  };
  void Read(const MonitorTick* tick, Readings* readings);
  Disk& DiskOf(std::string_view name, size_t line);

  KeptFile diskstats_;
  TextBuffer& buffer_;
  std::string block_folder_;
  std::vector<Disk> disks_;  // usually in the order of the lines
  uint64_t samples_ = 0;
};

class NetworkSource final : public MonitorSource {
 public:
  explicit NetworkSource(const SourceSetup& setup);
  void Sample(const MonitorTick& tick, Readings& readings) override;

 private:
  struct Interface {
    std::string name;
    bool is_device = false;  // hardware, or what a virtual machine has in its place
    uint64_t received = 0;
    uint64_t sent = 0;
    uint64_t sample = 0;
    std::optional<uint32_t> received_series, sent_series;
  };
  void Read(const MonitorTick* tick, Readings* readings);
  Interface& InterfaceOf(std::string_view name, size_t line);

  KeptFile dev_;
  TextBuffer& buffer_;
  std::string net_folder_;
  std::vector<Interface> interfaces_;
  bool has_devices_ = false;
  uint64_t samples_ = 0;
};

}  // namespace telltale
