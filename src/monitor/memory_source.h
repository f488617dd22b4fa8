// SPDX-License-Identifier: Apache-2.0
// Memory and swap of the machine: /proc/meminfo. And the room left in a folder's file system.
#pragma once

#include <cstdint>
#include <string>

#include "monitor/source.h"

namespace telltale {

class MemorySource final : public MonitorSource {
 public:
  explicit MemorySource(const SourceSetup& setup);
  void Sample(const MonitorTick& tick, Readings& readings) override;

 private:
  KeptFile meminfo_;
  TextBuffer& buffer_;
  uint32_t used_ = 0, used_share_ = 0, available_ = 0, cached_ = 0, shared_ = 0, total_ = 0;
  uint32_t swap_used_ = 0, swap_total_ = 0;
};

class FolderSource final : public MonitorSource {
 public:
  FolderSource(const SourceSetup& setup, std::string folder);
  void Sample(const MonitorTick& tick, Readings& readings) override;

 private:
  std::string folder_;
  uint32_t free_;
};

}  // namespace telltale
