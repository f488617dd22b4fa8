// SPDX-License-Identifier: Apache-2.0
// The profiles that can be opened, and those that are: finds them below the roots, loads one when
// it is first asked for, notices new, changed and deleted files, and lets the least recently used
// go when memory runs short. Everything happens in two steps, Scan and LoadNext, which a pair of
// threads repeats (catalogue_threads.h) and tests call by themselves. Any number of threads.
//
// Memory may run out anywhere. A load that fails for it is one that failed; all else is done again:
// what throws (std::bad_alloc) has changed nothing, or will be told at the next look.
#pragma once

#include <atomic>
#include <chrono>
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
#include <vector>

#include "base/result.h"
#include "model/artifact.h"
#include "runs/find_profiles.h"
#include "runs/load.h"
#include "server/list_history.h"
#include "server/open_profile.h"
#include "server/roots.h"

namespace telltale {

enum class ProfileState : uint8_t {
  kFound,    // not read yet, or no longer in memory
  kLoading,  // asked for
  kReady,
  kChanged,  // in memory, but the file is another by now: read again when asked for
  kFailed,   // could not be read
  kGone,     // deleted; what is in memory can still be seen
};
[[nodiscard]] std::string_view NameOf(ProfileState state);

// What is known of a profile, as a value.
struct ProfileStatus {
  std::string id;
  std::string name;
  std::string folder;
  std::vector<std::string> paths;
  std::string_view kind;  // trace, functions, memory or mixed; empty: not known
  ProfileState state = ProfileState::kFound;
  bool growing = false;  // a file was different at the last two looks
  uint64_t bytes = 0;
  uint64_t loaded_bytes = 0;
  uint64_t total_bytes = 0;
  int64_t modified_ns = 0;  // since 1970: the latest of its files
  std::vector<int64_t> ranks;
  std::optional<uint64_t> events;          // once read
  std::vector<std::string_view> captured;  // once read: what traces hold
  std::vector<OfferedView> views;          // once read
  std::string_view first_view;  // once read: the one that is shown where none is asked for
  std::string error;            // of kFailed, for a person
  uint64_t generation = 0;      // how often it was read; 0: never
  // Which content of its files answers are made from, in whatever server; empty: it was never read.
  std::string content;
};

// A part of the list.
struct ProfilePage {
  uint64_t revision = 0;  // holds at least the changes up to here
  size_t total = 0;       // of the whole list
  std::vector<ProfileStatus> profiles;
};

// How the list differs from the one of an earlier revision.
struct ListChanges {
  struct Changed {
    std::string after;  // the id before it in the list; empty: it is the first
    ProfileStatus status;
  };
  uint64_t since = 0;
  uint64_t revision = 0;
  size_t total = 0;
  std::vector<Changed> changed;  // new ones, too; in the order of the list
  std::vector<std::string> gone;
};

struct CatalogueOptions {
  std::vector<Root> roots;
  FindLimits limits;
  // Of what is loaded and is being loaded. A load lets go of other profiles as it needs their room,
  // and ends early where all of it is not enough.
  size_t memory_budget_bytes = size_t{4} << 30;
  unsigned threads = 0;  // for loading and analyses; 0: all cores
  // The list or a state changed. Both are called on whatever thread noticed, with no lock held.
  std::function<void()> on_change;
  std::function<void(const ProfileStatus&)> on_progress;
  // For tests.
  std::function<Result<Subject>(std::span<const std::string>, const LoadOptions&)> load =
      LoadTraces;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

class Catalogue {
 public:
  explicit Catalogue(CatalogueOptions options);
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  [[nodiscard]] std::vector<ProfileStatus> List() const { return Page(0, SIZE_MAX).profiles; }
  [[nodiscard]] ProfilePage Page(size_t offset, size_t limit) const;
  [[nodiscard]] std::optional<ProfileStatus> Find(std::string_view id) const;
  // None: there are more than `most`, or it is too long ago.
  [[nodiscard]] std::optional<ListChanges> ChangesSince(uint64_t revision, size_t most) const;
  [[nodiscard]] uint64_t revision() const;
  // The first look is not done yet: the list holds what it found so far.
  [[nodiscard]] bool searching() const;
  // Files and folders that the last look saw, or the one that is under way.
  [[nodiscard]] size_t searched() const { return finder_.entries(); }
  // The last look stopped at a limit: there may be more profiles than listed.
  [[nodiscard]] bool cut() const;
  // What the last whole look found no profile in.
  [[nodiscard]] Skipped skipped() const;

  struct Answer {
    std::optional<ProfileStatus> status;         // none: there is no such profile
    std::shared_ptr<const OpenProfile> profile;  // may be an older version while a new one is read
  };
  // Asks for loading where that is needed.
  [[nodiscard]] Answer Get(std::string_view id);

  // One look at the roots. Not from two threads at a time.
  void Scan();
  // Loads what was asked for last. False: nothing is asked for. Not from two threads at a time.
  bool LoadNext();
  // Ends a load that is under way, and all later ones.
  void Cancel();

  // For catalogue_threads.h: called whenever a load was asked for.
  void set_on_request(std::function<void()> on_request) { on_request_ = std::move(on_request); }

  [[nodiscard]] size_t memory_bytes() const;
  // What opens the files of profiles, for those who read in them again.
  [[nodiscard]] const FileGate& gate() const { return gate_; }

 private:
  struct Entry {
    FoundProfile found;
    size_t order = 0;       // place in the list
    uint64_t revision = 0;  // of its last change
    ProfileState state = ProfileState::kFound;
    bool growing = false;
    std::vector<FoundFile> read_files;  // as they were when they were read, or tried to be
    std::shared_ptr<const OpenProfile> open;
    std::string error;
    uint64_t generation = 0;
    uint64_t used = 0;       // by the clock of requests
    uint64_t requested = 0;  // likewise; 0: no load is asked for
    uint64_t loaded_bytes = 0;
    uint64_t total_bytes = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;  // by id
  [[nodiscard]] static ProfileStatus StatusOf(const Entry& entry);
  [[nodiscard]] std::vector<const Entry*> InOrder() const;
  void Note(Entry& entry);
  Entries::iterator Remove(Entries::iterator at);
  void KeepIds(std::vector<FoundProfile>& profiles);
  void Take(std::vector<FoundProfile> profiles, bool all);
  bool Update(Entry& entry, FoundProfile found, size_t order);
  bool Missing(Entry& entry) const;
  bool Evict(std::string_view kept, size_t loading_bytes = 0);
  void MakeRoom(std::string_view id, size_t loading_bytes);
  void Changed() noexcept;
  [[nodiscard]] Result<Subject> Load(const std::string& id, const std::vector<FoundFile>& files);
  void Finish(const std::string& id, std::vector<FoundFile> files,
              std::shared_ptr<const OpenProfile> open, std::string error);
  void Progress(const std::string& id, uint64_t done, uint64_t total);

  CatalogueOptions options_;
  const FileGate gate_;
  std::function<void()> on_request_;
  std::atomic<bool> canceled_ = false;
  std::atomic<bool> untold_ = false;  // a change that on_change does not know of

  mutable std::mutex mutex_;  // of what follows
  Entries entries_;
  ListHistory history_;
  // Files that were moved keep the id they had: by the one that follows from the new path.
  std::map<std::string, std::string, std::less<>> moved_;
  uint64_t requests_ = 0;
  bool scanned_ = false;
  bool cut_ = false;
  Skipped skipped_;
  std::chrono::steady_clock::time_point last_progress_;

  ProfileFinder finder_;  // of Scan alone
};

}  // namespace telltale
