// SPDX-License-Identifier: Apache-2.0
#include "server/catalogue_threads.h"

#include <algorithm>
#include <exception>
#include <vector>

namespace telltale {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastPause(1000);
constexpr milliseconds kLongestPause(30'000);
// Looking takes at most this part of a core.
constexpr int kPauseRatio = 20;

}  // namespace

milliseconds PauseAfterScan(std::chrono::nanoseconds took) {
  return std::clamp(std::chrono::duration_cast<milliseconds>(took * kPauseRatio), kLeastPause,
                    kLongestPause);
}

CatalogueThreads::CatalogueThreads(Catalogue& catalogue, bool load_first) : catalogue_(catalogue) {
  catalogue_.set_on_request([this] {
    {
      const std::lock_guard lock(mutex_);
      requested_ = true;
    }
    changed_.notify_all();
  });
  try {
    watcher_ = std::thread([this, load_first] { Watch(load_first); });
    loader_ = std::thread([this] { Load(); });
  } catch (...) {  // no thread to be had
    Stop();
    throw;
  }
}

CatalogueThreads::~CatalogueThreads() { Stop(); }

void CatalogueThreads::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  catalogue_.Cancel();
  changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  if (loader_.joinable()) loader_.join();
  catalogue_.set_on_request(nullptr);
}

// False: there was no memory for it, as a rule. The next look may have more.
bool CatalogueThreads::Look(bool load_first) {
  try {
    catalogue_.Scan();
    if (load_first) {
      const std::vector<ProfileStatus> list = catalogue_.List();
      if (!list.empty()) static_cast<void>(catalogue_.Get(list.front().id));
    }
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void CatalogueThreads::Watch(bool load_first) {
  while (true) {
    const auto start = std::chrono::steady_clock::now();
    if (Look(load_first)) load_first = false;
    const milliseconds pause = PauseAfterScan(std::chrono::steady_clock::now() - start);
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, pause, [this] { return stopping_; })) return;
  }
}

void CatalogueThreads::Load() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || requested_; });
      if (stopping_) return;
      requested_ = false;
    }
    try {
      while (catalogue_.LoadNext()) {
      }
    } catch (const std::exception&) {
      // What was asked for still is.
      std::unique_lock lock(mutex_);
      requested_ = true;
      if (changed_.wait_for(lock, kLeastPause, [this] { return stopping_; })) return;
    }
  }
}

}  // namespace telltale
