// SPDX-License-Identifier: Apache-2.0
// Keeps the list and what is in memory up to date: one thread looks at the folders again and again,
// one loads what is asked for. Ends both, and a load that is under way, when it is destroyed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "runs/catalogue.h"
#include "server/residency.h"

namespace telltale {

// How long to wait for the next look after one that took so long: a second, more where looking is
// work.
[[nodiscard]] std::chrono::milliseconds PauseAfterScan(std::chrono::nanoseconds took);

class ProfileThreads {
 public:
  // Returns at once, the first look is still to come. `load_first`: begin with the first profile of
  // the list, before anybody asks for it. Throws if the system grants no threads.
  ProfileThreads(Catalogue& catalogue, Residency& residency, bool load_first);
  ProfileThreads(const ProfileThreads&) = delete;
  ProfileThreads& operator=(const ProfileThreads&) = delete;
  ~ProfileThreads();

 private:
  void Stop();
  bool Look(bool load_first);
  void Watch(bool load_first);
  void Load();
  [[nodiscard]] bool StopsWithin(std::chrono::milliseconds pause);

  Catalogue& catalogue_;
  Residency& residency_;
  std::mutex mutex_;  // of what follows
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::thread watcher_;
  std::thread loader_;
};

}  // namespace telltale
