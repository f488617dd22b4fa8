// SPDX-License-Identifier: Apache-2.0
#include "monitor/monitor.h"

#include <time.h>

#include <utility>

#include "monitor/amdgpu_source.h"
#include "monitor/cgroup_source.h"
#include "monitor/cpu_source.h"
#include "monitor/memory_source.h"
#include "monitor/nvml_source.h"
#include "monitor/pressure_source.h"
#include "monitor/process_source.h"
#include "monitor/rapl_source.h"
#include "monitor/traffic_source.h"

namespace telltale {

namespace {

constexpr int64_t kSlowEvery = 10'000'000'000;

}  // namespace

int64_t MonitorClockNs() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Monitor::Monitor(MonitorOptions options) : options_(std::move(options)) {
  last_ns_ = options_.start_ns != 0 ? options_.start_ns : MonitorClockNs();
  next_slow_ns_ = last_ns_;
  const SourceSetup setup{options_.proc_root, options_.sys_root, buffer_, readings_, lacking_};
  auto cpu = std::make_unique<CpuSource>(setup);
  const CpuSource& cores = *cpu;
  sources_.push_back(std::move(cpu));
  sources_.push_back(std::make_unique<MemorySource>(setup));
  if (options_.root_pid > 0) {
    auto processes = std::make_unique<ProcessSource>(setup, options_.root_pid, cores, last_ns_);
    processes_ = processes.get();
    sources_.push_back(std::move(processes));
  }
  sources_.push_back(std::make_unique<DiskSource>(setup));
  sources_.push_back(std::make_unique<NetworkSource>(setup));
  sources_.push_back(std::make_unique<PressureSource>(setup));
  sources_.push_back(std::make_unique<CgroupSource>(setup, options_.root_pid));
  sources_.push_back(std::make_unique<RaplSource>(setup));
  size_t gpus = 0;
  if (!options_.nvml_library.empty()) {
    auto nvidia = std::make_unique<NvmlSource>(setup, options_.nvml_library, processes_, devices_);
    gpus = nvidia->count();
    if (gpus > 0) sources_.push_back(std::move(nvidia));
  }
  auto amd = std::make_unique<AmdGpuSource>(setup, gpus, devices_);
  if (amd->count() == 0)
    lacking_.emplace_back("no AMD GPUs: the kernel's amdgpu driver shows none");
  if (amd->count() > 0) sources_.push_back(std::move(amd));
  if (!options_.folder.empty()) {
    sources_.push_back(std::make_unique<FolderSource>(setup, options_.folder));
  }
}

Monitor::~Monitor() = default;

std::span<const int> Monitor::pids() const {
  return processes_ == nullptr ? std::span<const int>() : processes_->pids();
}

void Monitor::LookForChildren() {
  if (processes_ != nullptr) processes_->LookForChildren();
}

std::span<const MonitorReading> Monitor::Sample(int64_t now_ns) {
  if (now_ns <= last_ns_) return readings_.values();
  readings_.Clear();
  MonitorTick tick;
  tick.now_ns = now_ns;
  tick.elapsed_s = static_cast<double>(now_ns - last_ns_) * 1e-9;
  tick.is_slow = now_ns >= next_slow_ns_;
  if (tick.is_slow) next_slow_ns_ = now_ns + kSlowEvery;
  last_ns_ = now_ns;
  elapsed_s_ = tick.elapsed_s;
  for (const std::unique_ptr<MonitorSource>& source : sources_) source->Sample(tick, readings_);
  return readings_.values();
}

}  // namespace telltale
