// SPDX-License-Identifier: Apache-2.0
#include "server/worker_lanes.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace telltale {

WorkerLanes::WorkerLanes(const std::vector<LaneLimits>& limits) {
  for (const LaneLimits& one : limits) {
    Lane& lane = lanes_.emplace_back();
    lane.limits = one;
    lane.threads.reserve(std::max(one.workers, 1U));
  }
}

WorkerLanes::~WorkerLanes() {
  (void)Stop(std::chrono::hours(24 * 365));
  for (Lane& lane : lanes_) {
    for (std::thread& thread : lane.threads) thread.join();
  }
}

bool WorkerLanes::Start() {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(lanes_, [this](Lane& lane) { return AddThread(lane); });
}

bool WorkerLanes::Post(size_t number, std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  Lane& lane = lanes_[std::min(number, lanes_.size() - 1)];
  if (stopping_) return false;
  if (lane.jobs.size() >= lane.limits.waiting) return false;
  if (lane.idle <= lane.jobs.size() && lane.threads.size() < lane.threads.capacity()) {
    (void)AddThread(lane);  // without it, those that are there have to do
  }
  lane.jobs.push_back(std::move(job));
  lane.posted.notify_one();
  return true;
}

bool WorkerLanes::AddThread(Lane& lane) {
  try {
    lane.threads.emplace_back([this, &lane] { Work(lane); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void WorkerLanes::Work(Lane& lane) {
  std::unique_lock lock(mutex_);
  while (true) {
    ++lane.idle;
    lane.posted.wait(lock, [&] { return stopping_ || !lane.jobs.empty(); });
    --lane.idle;
    if (stopping_) return;
    std::function<void()> job = std::move(lane.jobs.front());
    lane.jobs.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    --running_;
    finished_.notify_all();
  }
}

bool WorkerLanes::Stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  for (Lane& lane : lanes_) lane.posted.notify_all();
  return finished_.wait_for(lock, patience, [this] { return running_ == 0; });
}

}  // namespace telltale
