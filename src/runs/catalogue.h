// SPDX-License-Identifier: Apache-2.0
// The profiles that there are below the roots: notices new, changed, moved and deleted ones, gives
// each an id that it keeps, and tells how the list differs from an earlier one. What was read of
// them is no business of this; who holds something of an entry says so (Hold), and what it shows of
// that in the list (Note). Any number of threads.
//
// Memory may run out anywhere: what throws (std::bad_alloc) has changed nothing, or will be told at
// the next look.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_gate.h"
#include "runs/find_profiles.h"
#include "runs/list_history.h"
#include "runs/root.h"

namespace telltale {

// A profile as the last look found it.
struct CatalogueEntry {
  FoundProfile found;
  bool growing = false;  // a file was different at the last two looks
  bool gone = false;     // its files were not found any more, but somebody holds it
  // Revisions of the list. What was read of it before `settled` is out of date; while files grow,
  // only `content` moves.
  uint64_t content = 0;  // since when its files are what they are
  uint64_t settled = 0;  // the `content` that was last seen not to grow

  [[nodiscard]] uint64_t bytes() const;
  [[nodiscard]] int64_t modified_ns() const;  // since 1970: the latest of its files
};

// A part of the list.
struct CataloguePage {
  uint64_t revision = 0;  // holds at least the changes up to here
  size_t total = 0;       // of the whole list
  std::vector<CatalogueEntry> entries;
};

// How the list differs from the one of an earlier revision.
struct CatalogueChanges {
  struct Changed {
    std::string after;  // the id before it in the list; empty: it is the first
    CatalogueEntry entry;
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
  // The list changed, or what is shown in it. On whatever thread noticed, with no lock held.
  std::function<void()> on_change;
  // After each whole look, on the thread that looked, with no lock held: what else there is below
  // the roots is known by the same walk.
  std::function<void(const ProfileFinder& finder, std::span<const FoundProfile> profiles)> on_look;
};

class Catalogue {
 public:
  explicit Catalogue(CatalogueOptions options);
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  [[nodiscard]] CataloguePage Page(size_t offset, size_t limit) const;
  [[nodiscard]] size_t size() const { return Page(0, 0).total; }
  [[nodiscard]] std::optional<CatalogueEntry> Find(std::string_view id) const;
  // None: there are more than `most`, or it is too long ago.
  [[nodiscard]] std::optional<CatalogueChanges> ChangesSince(uint64_t revision, size_t most) const;
  [[nodiscard]] uint64_t revision() const;
  // The first look is not done yet: the list holds what it found so far.
  [[nodiscard]] bool searching() const;
  // Files and folders that the last look saw, or the one that is under way.
  [[nodiscard]] size_t searched() const { return finder_.entries(); }
  // The last look stopped at a limit: there may be more profiles than listed.
  [[nodiscard]] bool cut() const;
  // What the last whole look found no profile in.
  [[nodiscard]] Skipped skipped() const;

  // From now on it stays in the list without its files, too. False: it is not in the list.
  [[nodiscard]] bool Hold(std::string_view id);
  // Takes that back. False: it is not in the list (any more).
  bool Release(std::string_view id);
  // Something of it changed that is shown with the list; Tell tells it, without any lock.
  void Note(std::string_view id);
  void Tell() noexcept;

  // One look at the roots. Not from two threads at a time.
  void Scan();
  // Ends a look that is under way, and all later ones.
  void Cancel() { canceled_ = true; }

  // What opens the files of profiles.
  [[nodiscard]] const FileGate& gate() const { return gate_; }

 private:
  struct Listed : CatalogueEntry {
    size_t order = 0;       // place in the list
    uint64_t revision = 0;  // of its last change
    bool held = false;
  };
  using Entries = std::map<std::string, Listed, std::less<>>;  // by id
  [[nodiscard]] std::vector<const Listed*> InOrder() const;
  void Changed(Listed& entry);
  Entries::iterator Remove(Entries::iterator at);
  void KeepIds(std::vector<FoundProfile>& profiles);
  void Take(std::vector<FoundProfile> profiles, bool all);
  void Update(Listed& entry, FoundProfile found, size_t order);

  const CatalogueOptions options_;
  const FileGate gate_;
  std::atomic<bool> canceled_ = false;
  std::atomic<bool> untold_ = false;  // a change that on_change does not know of

  mutable std::mutex mutex_;  // of what follows
  Entries entries_;
  ListHistory history_;
  // Files that were moved keep the id they had: by the one that follows from the new path.
  std::map<std::string, std::string, std::less<>> moved_;
  bool scanned_ = false;
  bool cut_ = false;
  Skipped skipped_;

  ProfileFinder finder_;  // of Scan alone
};

}  // namespace telltale
