// SPDX-License-Identifier: Apache-2.0
// Samples the machine into a run's monitor/ while a program runs, on a thread of its own: the first
// look at GPUs may take a second.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collect/files.h"
#include "collect/run_folder.h"

namespace telltale {

class MachineSampler {
 public:
  MachineSampler(RunFolder run_folder, Trouble& trouble)
      : run_folder_(std::move(run_folder)), trouble_(trouble) {}
  MachineSampler(const MachineSampler&) = delete;
  MachineSampler& operator=(const MachineSampler&) = delete;
  ~MachineSampler() { Stop(); }

  // Watches the process and its children.
  void Start(int pid, int64_t interval_ns);
  // The program has new processes: the next sample finds them. Any thread.
  void LookForChildren() { looks_for_children_ = true; }
  // Writes what there is; waits for it.
  void Stop();
  // What this machine lacks; after Stop.
  [[nodiscard]] const std::vector<std::string>& lacking() const { return lacking_; }

 private:
  void Loop(int pid, int64_t interval_ns);

  RunFolder run_folder_;
  Trouble& trouble_;
  std::vector<std::string> lacking_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::atomic<bool> looks_for_children_ = false;
  std::thread thread_;
};

}  // namespace telltale
