// SPDX-License-Identifier: Apache-2.0
// Samples the stacks of a program into a run's profiler/ while it runs, on a thread of its own.
// What was seen is appended once a second: that much is lost when this process is killed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collect/files.h"

namespace telltale {

class StackSampler {
 public:
  StackSampler(std::string run_folder, Trouble& trouble)
      : run_folder_(std::move(run_folder)), trouble_(trouble) {}
  StackSampler(const StackSampler&) = delete;
  StackSampler& operator=(const StackSampler&) = delete;
  ~StackSampler() { Stop(); }

  // Watches the process and its children.
  void Start(int pid, int64_t period_ns);
  // Writes what there is; waits for it.
  void Stop();
  // Why some of it could not be sampled; after Stop.
  [[nodiscard]] const std::vector<std::string>& lacking() const { return lacking_; }

 private:
  void Loop(int pid, int64_t period_ns);
  // Of a file that is not there yet: a collector that was killed leaves its own.
  [[nodiscard]] std::string NewPath() const;

  std::string run_folder_;
  Trouble& trouble_;
  std::vector<std::string> lacking_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace telltale
