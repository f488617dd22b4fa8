// SPDX-License-Identifier: Apache-2.0
// Measures the machine and a tree of processes, from outside. A sample reads files that are kept
// open, allocates nothing once all devices are known, and costs tens of microseconds. One thread at
// a time. It is best made on the thread that samples: where there are NVIDIA GPUs, starting their
// driver's library may take a second.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/kept_file.h"
#include "monitor/readings.h"
#include "monitor/source.h"

namespace telltale {

struct MonitorOptions {
  int root_pid = 0;    // watched with its children; 0: none, only the machine
  std::string folder;  // whose free room is measured; empty: none
  std::string proc_root = "/proc";
  std::string sys_root = "/sys";
  // Looked for where the system looks for libraries; empty: no NVIDIA GPUs.
  std::string nvml_library = "libnvidia-ml.so.1";
  // When it begins, on the clock of Sample; 0: MonitorClockNs().
  int64_t start_ns = 0;
};

// A steady clock, which goes on while the machine sleeps.
[[nodiscard]] int64_t MonitorClockNs();

struct MonitoredDevice {
  std::string device;  // as in tags: gpu0
  std::string name;    // NVIDIA A100-SXM4-40GB
};

class CpuSource;
class ProcessSource;

class Monitor {
 public:
  // Takes the base of all counters: the first sample, a moment later, is a real one.
  explicit Monitor(MonitorOptions options);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  // All that is known now; valid until the next call. `now_ns` is later than at the call before;
  // if it is not, the readings are those of that call.
  [[nodiscard]] std::span<const MonitorReading> Sample(int64_t now_ns);

  // The tree has new processes: the next sample finds them.
  void LookForChildren();

  // By the number of readings. Grows when devices appear.
  [[nodiscard]] const std::deque<MonitorSeries>& series() const { return readings_.series(); }
  // What this machine lacks, one sentence each. May grow while sampling.
  [[nodiscard]] const std::vector<std::string>& lacking() const { return lacking_; }
  [[nodiscard]] const std::vector<MonitoredDevice>& devices() const { return devices_; }
  // What the last sample covers.
  [[nodiscard]] double elapsed_s() const { return elapsed_s_; }
  // Of the tree, at the last sample, ascending.
  [[nodiscard]] std::span<const int> pids() const;

 private:
  MonitorOptions options_;
  TextBuffer buffer_;
  Readings readings_;
  std::vector<std::string> lacking_;
  std::vector<MonitoredDevice> devices_;
  std::vector<std::unique_ptr<MonitorSource>> sources_;  // sampled in this order
  ProcessSource* processes_ = nullptr;                   // of sources_
  int64_t last_ns_ = 0;
  double elapsed_s_ = 0;
  int64_t next_slow_ns_ = 0;
};

}  // namespace telltale
