// SPDX-License-Identifier: Apache-2.0
// Which profiles of the catalogue are in memory: reads one when it is first asked for, and again
// when its files have changed; who asks meanwhile waits for the same load. Lets the least recently
// used go when memory runs short. Loads happen in LoadNext, which a thread repeats
// (profile_threads.h) and tests call by themselves. Any number of threads.
//
// Memory may run out anywhere. A load that fails for it is one that failed; all else is done again:
// what throws (std::bad_alloc) has changed nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/subject.h"
#include "runs/catalogue.h"
#include "runs/load.h"
#include "server/open_profile.h"
#include "server/profile_status.h"

namespace telltale {

struct ResidencyOptions {
  // Of what is loaded and is being loaded. A load lets go of other profiles as it needs their room,
  // and ends early where all of it is not enough.
  size_t memory_budget_bytes = size_t{4} << 30;
  unsigned threads = 0;  // for loading and analyses; 0: all cores
  // How far the load of an id is, now and then. On the thread that loads, with no lock held.
  std::function<void(std::string_view id, uint64_t loaded_bytes, uint64_t total_bytes)> on_progress;
  // For tests.
  std::function<Result<Subject>(std::span<const std::string>, const LoadOptions&)> load =
      LoadTraces;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

class Residency {
 public:
  // Holds what it loads in the catalogue, and notes there what becomes of it.
  Residency(Catalogue& catalogue, ResidencyOptions options)
      : catalogue_(catalogue), options_(std::move(options)) {}
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  [[nodiscard]] ProfileStatus StatusOf(const CatalogueEntry& entry) const;

  struct Answer {
    std::optional<ProfileStatus> status;         // none: there is no such profile
    std::shared_ptr<const OpenProfile> profile;  // may be an older version while a new one is read
  };
  // Asks for loading where that is needed.
  [[nodiscard]] Answer Get(std::string_view id);

  // Until a load is asked for. False: Cancel was called.
  [[nodiscard]] bool WaitForRequest();
  // Loads what was asked for last. False: nothing is asked for. Not from two threads at a time.
  bool LoadNext();
  // Ends a load that is under way, and all later ones.
  void Cancel();
  // To be called after each look of the catalogue: what is kept with a profile grows while it is
  // looked at, and of what could not be read the list is no longer held.
  void Trim();

  [[nodiscard]] size_t memory_bytes() const;

 private:
  struct Resident {
    std::shared_ptr<const OpenProfile> open;
    std::string error;       // of the last load, if it failed
    bool loading = false;    // asked for, or under way
    uint64_t requested = 0;  // by the clock of requests; 0: no load is to begin
    uint64_t used = 0;       // likewise
    uint64_t loaded_bytes = 0;
    uint64_t total_bytes = 0;
    uint64_t generation = 0;
    // The entry as it was when it was last read, or tried to be.
    uint64_t read = 0;  // its `content`
    uint64_t read_bytes = 0;
    int64_t read_modified_ns = 0;
  };
  using Residents = std::map<std::string, Resident, std::less<>>;  // by id
  [[nodiscard]] static ProfileStatus StatusOf(const CatalogueEntry& entry,
                                              const Resident* resident);
  [[nodiscard]] Residents::iterator Next();
  void MakeRoom(std::string_view kept, size_t loading_bytes);
  [[nodiscard]] bool Evict(std::string_view kept, size_t loading_bytes);
  [[nodiscard]] Result<Subject> Load(const CatalogueEntry& entry);
  void Finish(const CatalogueEntry& entry, std::shared_ptr<const OpenProfile> open,
              std::string error);
  void Progress(std::string_view id, uint64_t done, uint64_t total);

  Catalogue& catalogue_;
  const ResidencyOptions options_;
  std::atomic<bool> canceled_ = false;

  // Of what follows. The catalogue is asked with it held, and asks nothing back.
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  Residents residents_;
  uint64_t requests_ = 0;
  std::chrono::steady_clock::time_point last_progress_;
};

}  // namespace telltale
