// SPDX-License-Identifier: Apache-2.0
#include "monitor/nvml.h"

#include <dlfcn.h>

#include <fmt/format.h>

namespace telltale::nvml {

namespace {

// The newest of the names that the library has.
template <typename Function>
void Find(void* handle, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<Function*>(::dlsym(handle, name));
    if (function != nullptr) return;
  }
}

}  // namespace

Result<std::unique_ptr<Library>> Library::Load(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("no NVIDIA GPUs: their driver's library {} is not installed", name));
  }
  // NOLINTNEXTLINE(modernize-make-unique): its constructor is private
  std::unique_ptr<Library> library(new Library);
  library->handle_ = handle;
  int (*init)() = nullptr;
  const char* (*describe)(int) = nullptr;
  Find(handle, init, {"nvmlInit_v2", "nvmlInit"});
  Find(handle, describe, {"nvmlErrorString"});
  Find(handle, library->count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  Find(handle, library->handle_by_index,
       {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  Find(handle, library->name, {"nvmlDeviceGetName"});
  Find(handle, library->utilization, {"nvmlDeviceGetUtilizationRates"});
  Find(handle, library->memory, {"nvmlDeviceGetMemoryInfo"});
  Find(handle, library->memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  Find(handle, library->power_mw, {"nvmlDeviceGetPowerUsage"});
  Find(handle, library->power_limit_mw, {"nvmlDeviceGetEnforcedPowerLimit"});
  Find(handle, library->energy_mj, {"nvmlDeviceGetTotalEnergyConsumption"});
  Find(handle, library->temperature, {"nvmlDeviceGetTemperature"});
  Find(handle, library->clock_mhz, {"nvmlDeviceGetClockInfo"});
  Find(handle, library->throttle_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  Find(handle, library->pcie_kb_per_s, {"nvmlDeviceGetPcieThroughput"});
  Find(handle, library->processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  if (init == nullptr || library->count == nullptr || library->handle_by_index == nullptr) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("no NVIDIA GPUs: {} is not their driver's library", name));
  }
  if (const int code = init(); code != kSuccess) {
    const char* why = describe == nullptr ? nullptr : describe(code);
    return Fail(ErrorCode::kUnreadable,
                fmt::format("no NVIDIA GPUs: their driver says: {} (nvmlInit: {})",
                            why == nullptr ? "unknown error" : why, code));
  }
  Find(handle, library->shutdown_, {"nvmlShutdown"});
  return library;
}

Library::~Library() {
  if (shutdown_ != nullptr) shutdown_();
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace telltale::nvml
