// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library, loaded while the program runs: what of its interface is used here,
// as NVIDIA documents it (https://docs.nvidia.com/deploy/nvml-api/). A function that an old driver
// lacks is null.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace telltale::nvml {

using Device = struct OpaqueDevice*;

// nvmlReturn_t
enum : int {
  kSuccess = 0,
  kNotSupported = 3,
  kInsufficientSize = 7,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
};

struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // what the driver reserves included
};
struct MemoryV2 {
  unsigned version;  // sizeof | 2 << 24
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(MemoryV2) == 40);
// Of the second and third version of the call; the first one ended with used_bytes.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;  // all bits: not known
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

constexpr unsigned kTemperatureGpu = 0;
constexpr unsigned kClockSm = 1;
constexpr unsigned kClockMemory = 2;
constexpr unsigned kPcieSent = 0;
constexpr unsigned kPcieReceived = 1;
// nvmlClocksEventReason…: software power cap, hardware slowdown, software and hardware thermal
// slowdown, power brake. The others (idle, a clock that was asked for) are no loss.
constexpr unsigned long long kThrottledBits = 0x04 | 0x08 | 0x20 | 0x40 | 0x80;

class Library {
 public:
  // Loads and starts it. An Error says what is missing.
  [[nodiscard]] static Result<std::unique_ptr<Library>> Load(const std::string& name);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  int (*count)(unsigned*) = nullptr;
  int (*handle_by_index)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*memory_v2)(Device, MemoryV2*) = nullptr;
  int (*power_mw)(Device, unsigned*) = nullptr;
  int (*power_limit_mw)(Device, unsigned*) = nullptr;
  int (*energy_mj)(Device, unsigned long long*) = nullptr;
  int (*temperature)(Device, unsigned, unsigned*) = nullptr;
  int (*clock_mhz)(Device, unsigned, unsigned*) = nullptr;
  int (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  int (*pcie_kb_per_s)(Device, unsigned, unsigned*) = nullptr;
  int (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;

 private:
  Library() = default;
  void* handle_ = nullptr;
  int (*shutdown_)() = nullptr;
};

}  // namespace telltale::nvml
