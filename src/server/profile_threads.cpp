// SPDX-License-Identifier: Apache-2.0
#include "server/profile_threads.h"

#include <algorithm>
#include <exception>

#include "base/thread_time.h"

namespace telltale {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastPause(1000);
constexpr milliseconds kLongestPause(30'000);
// Looking takes at most this part of a core.
constexpr int kPauseRatio = 100;

}  // namespace

milliseconds PauseAfterScan(std::chrono::nanoseconds took) {
  return std::clamp(std::chrono::duration_cast<milliseconds>(took * kPauseRatio), kLeastPause,
                    kLongestPause);
}

ProfileThreads::ProfileThreads(Catalogue& catalogue, Residency& residency, bool load_first)
    : catalogue_(catalogue), residency_(residency) {
  try {
    watcher_ = std::thread([this, load_first] { Watch(load_first); });
    loader_ = std::thread([this] { Load(); });
  } catch (...) {  // no thread to be had
    Stop();
    throw;
  }
}

ProfileThreads::~ProfileThreads() { Stop(); }

void ProfileThreads::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  catalogue_.Cancel();
  residency_.Cancel();
  if (watcher_.joinable()) watcher_.join();
  if (loader_.joinable()) loader_.join();
}

bool ProfileThreads::StopsWithin(milliseconds pause) {
  std::unique_lock lock(mutex_);
  return stopped_.wait_for(lock, pause, [this] { return stopping_; });
}

// False: there was no memory for it, as a rule. The next look may have more.
bool ProfileThreads::Look(bool load_first) {
  try {
    catalogue_.Scan();
    residency_.Trim();
    if (load_first) {
      const CataloguePage first = catalogue_.Page(0, 1);
      if (!first.entries.empty()) {
        static_cast<void>(residency_.Get(first.entries.front().found.id));
      }
    }
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void ProfileThreads::Watch(bool load_first) {
  while (true) {
    const std::chrono::nanoseconds before = ThreadTime();
    if (Look(load_first)) load_first = false;
    if (StopsWithin(PauseAfterScan(ThreadTime() - before))) return;
  }
}

void ProfileThreads::Load() {
  while (residency_.WaitForRequest()) {
    try {
      residency_.LoadNext();
    } catch (const std::exception&) {
      // What was asked for still is.
      if (StopsWithin(kLeastPause)) return;
    }
  }
}

}  // namespace telltale
