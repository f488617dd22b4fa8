// SPDX-License-Identifier: Apache-2.0
// The runs below the roots with their series in memory: found (find_runs.h), loaded side by side,
// followed while they grow, with the last and best value of each metric kept up to date. Names,
// tags, notes and the like come from the sidecar (sidecar.h).
//
// Threads: Scan, Take and Poll are called by one thread at a time; everything else by any number of
// them, meanwhile too. Lists are snapshots that nobody changes any more. Of locks, the workspace's
// own comes before that of a run, and no callback is called with one held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_gate.h"
#include "runs/find_profiles.h"
#include "runs/find_runs.h"
#include "runs/root.h"
#include "runs/run_list.h"
#include "runs/sidecar.h"

namespace telltale {

class HeldRun;
class HeldFile;
struct RunViews;

// What on_change hears, and what the event stream tells.
struct WorkspaceChange {
  struct TagPoints {
    std::string tag;
    uint64_t points = 0;
  };
  struct Changed {
    std::string id;
    std::vector<TagPoints> tags;  // that have more points, or other ones
  };
  uint64_t revision = 0;
  std::vector<Changed> changed;
  std::vector<std::string> added;
  std::vector<std::string> gone;
};

struct WorkspaceOptions {
  std::vector<Root> roots;
  // What opens files: none: whatever the paths lead to, for commands.
  std::optional<FileGate> gate;
  FindLimits limits;
  unsigned threads = 0;  // 0: as many as the machine has
  bool sidecar = true;   // names, tags, notes; false: as if there were none
  bool cache = true;     // columns of an earlier start
  // While runs are loaded, from any one thread at a time: bytes read, and all there are to read.
  std::function<void(uint64_t done, uint64_t total)> on_progress;
  // On the thread that calls Scan, Poll or Edit, with no lock held.
  std::function<void(const WorkspaceChange& change)> on_change;
};

// A database as it was read last.
struct StoreState {
  uint64_t version = 0;  // of its files' stamps
  std::vector<std::string> keys;
  std::optional<Error> problem;
};

class Workspace {
 public:
  explicit Workspace(WorkspaceOptions options);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  // Looks at the folders: new, gone and replaced runs. New ones are loaded before it returns.
  void Scan();
  // The same with what somebody else's walk found (Catalogue).
  void Take(const RunsLook& look);
  // Reads what was appended to known files, and looks after runs that are under way.
  void Poll();

  // `raw`: folders as they lie, as TensorBoard shows them; else what add_scalars and add_hparams
  // put into folders of their own is back in the run that wrote it, and a run that consists of
  // several folders is one.
  [[nodiscard]] std::shared_ptr<const RunList> runs(bool raw = false) const;
  [[nodiscard]] uint64_t revision() const;

  // Calls `use` with the series of a run, which do not change meanwhile. False: no such run. `use`
  // must not call the workspace.
  bool WithSeries(std::string_view id, const std::function<void(const RunSeries& series)>& use,
                  bool raw = false) const;

  // Changes what the sidecar holds of the runs. How many were changed; an Error: nothing was, or
  // (kUnwritable) a part. Deleting moves a run's files to the trash where that may be, and a run
  // that is under way is not deleted.
  [[nodiscard]] Result<size_t> Edit(std::span<const std::string> ids, const RunEdit& edit);

  // Folders that could not be looked into, and why.
  [[nodiscard]] std::vector<SkippedFile> closed_folders() const;
  // The last look stopped at a limit: there may be more.
  [[nodiscard]] bool cut() const;
  // Bytes that all series take.
  [[nodiscard]] size_t memory_bytes() const;
  [[nodiscard]] const FileGate& gate() const { return gate_; }
  [[nodiscard]] const std::vector<Root>& roots() const { return options_.roots; }

 private:
  using HeldRuns = std::map<std::string, std::shared_ptr<HeldRun>, std::less<>>;  // by key
  void TakeStores(const FoundRuns& found, HeldRuns& next);
  void TakeRuns(const FoundRuns& found);
  void Load(const std::vector<HeldFile*>& files);
  // With mutex_ held exclusively: the lists anew, wholly or where `changed` says so.
  WorkspaceChange Publish(const std::vector<const HeldRun*>* changed);
  [[nodiscard]] bool NotesChanged() const;
  void ReadNotes();
  void Tell(const WorkspaceChange& change) const;
  [[nodiscard]] std::shared_ptr<const RunViews> views(bool raw) const;

  WorkspaceOptions options_;
  FileGate gate_;
  std::unique_ptr<ProfileFinder> finder_;           // of Scan alone, made by its first call
  std::vector<std::unique_ptr<Sidecar>> sidecars_;  // by root
  std::map<std::string, StoreState> stores_;        // by path; of Scan alone

  std::mutex editing_;               // one edit at a time, before mutex_
  mutable std::shared_mutex mutex_;  // of what follows, and of all series
  HeldRuns held_;
  std::vector<std::map<std::string, RunNotes, std::less<>>> notes_;  // by root
  std::vector<uint64_t> notes_versions_;
  std::shared_ptr<const RunViews> folded_, raw_;
  std::vector<SkippedFile> closed_folders_;
  bool cut_ = false;
  uint64_t revision_ = 0;
};

}  // namespace telltale
