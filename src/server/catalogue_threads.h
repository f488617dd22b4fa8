// SPDX-License-Identifier: Apache-2.0
// Keeps a catalogue up to date: one thread looks at the folders again and again, one loads what is
// asked for. Ends both, and a load that is under way, when it is destroyed; nobody may ask for
// profiles any more then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/catalogue.h"

namespace telltale {

// How long to wait for the next look after one that took so long: a second, more where looking is
// work.
[[nodiscard]] std::chrono::milliseconds PauseAfterScan(std::chrono::nanoseconds took);

class CatalogueThreads {
 public:
  // Returns at once, the first look is still to come. `load_first`: begin with the first profile of
  // the list, before anybody asks for it. Throws if the system grants no threads.
  CatalogueThreads(Catalogue& catalogue, bool load_first);
  CatalogueThreads(const CatalogueThreads&) = delete;
  CatalogueThreads& operator=(const CatalogueThreads&) = delete;
  ~CatalogueThreads();

 private:
  void Stop();
  bool Look(bool load_first);
  void Watch(bool load_first);
  void Load();

  Catalogue& catalogue_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  bool requested_ = false;
  std::thread watcher_;
  std::thread loader_;
};

}  // namespace telltale
