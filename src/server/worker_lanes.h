// SPDX-License-Identifier: Apache-2.0
// Threads for the work of requests, in lanes: work of one lane never waits behind that of another.
// A lane has so many threads and so many jobs may wait for one. Its first thread is there from the
// start, so that a lane always gets on; the others are made when they are first needed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace telltale {

struct LaneLimits {
  unsigned workers = 1;
  size_t waiting = 1024;
};

class WorkerLanes {
 public:
  explicit WorkerLanes(const std::vector<LaneLimits>& limits);
  WorkerLanes(const WorkerLanes&) = delete;
  WorkerLanes& operator=(const WorkerLanes&) = delete;
  // Waits for the jobs that run. Those that wait are destroyed unrun, here.
  ~WorkerLanes();

  // Once, before the first Post. False: the system grants no thread to a lane.
  [[nodiscard]] bool Start();
  // False: too many wait; the job will not run. Jobs must not throw.
  [[nodiscard]] bool Post(size_t lane, std::function<void()> job);
  // Starts no further job and waits so long for those that run. False if one still does.
  [[nodiscard]] bool Stop(std::chrono::milliseconds patience);

 private:
  struct Lane {
    LaneLimits limits;
    std::deque<std::function<void()>> jobs;
    std::condition_variable posted;
    std::vector<std::thread> threads;
    size_t idle = 0;
  };
  [[nodiscard]] bool AddThread(Lane& lane);
  void Work(Lane& lane);

  std::mutex mutex_;  // of all below
  std::condition_variable finished_;
  bool stopping_ = false;
  size_t running_ = 0;
  std::deque<Lane> lanes_;
};

}  // namespace telltale
