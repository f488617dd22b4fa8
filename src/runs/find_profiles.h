// SPDX-License-Identifier: Apache-2.0
// Which profiles are below the roots right now. Files are told by their content and never loaded
// here; files of one capture (its ranks or workers) are one profile. Looking again is cheap: a file
// is opened only when it is new or changed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_stamp.h"
#include "formats/registry.h"
#include "io/file_gate.h"
#include "runs/root.h"
#include "runs/run_marks.h"

namespace telltale {

struct FoundFile {
  std::string path;
  FileStamp stamp;
  std::optional<int64_t> rank;  // by its name
  friend bool operator==(const FoundFile&, const FoundFile&) = default;
};

struct FoundProfile {
  std::string id;
  std::string name;    // for people: "runs/resnet/worker0"
  std::string folder;  // its first parts: "runs/resnet"
  std::vector<FoundFile> files;
  std::optional<ContentKind> kind;  // none: not known yet
};

struct SkippedFile {
  std::string path;
  std::string why;
  friend bool operator==(const SkippedFile&, const SkippedFile&) = default;
};

// Files whose names may be those of profiles, and folders, in which no profile was found.
struct Skipped {
  size_t count = 0;
  std::vector<SkippedFile> first;  // as many as FindLimits allows, in the order of their paths
  friend bool operator==(const Skipped&, const Skipped&) = default;
};

struct FindLimits {
  size_t depth = 16;         // folders below a root
  size_t entries = 200'000;  // looked at in one go
  size_t files = 10'000;     // taken
  size_t skipped = 100;      // told by name and reason
};

class ProfileFinder {
 public:
  // Of links, those are followed whose ends the gate allows.
  ProfileFinder(std::vector<Root> roots, FileGate gate, FindLimits limits = {})
      : roots_(std::move(roots)), gate_(std::move(gate)), limits_(limits) {}

  // In the order in which they are shown. `so_far` gets what was found until then, at first often,
  // then ever more rarely. Ends early when `canceled` becomes true.
  using SoFar = std::function<void(std::vector<FoundProfile>)>;
  [[nodiscard]] std::vector<FoundProfile> Look(const SoFar& so_far = {},
                                               const std::atomic<bool>* canceled = nullptr);
  // Files and folders that the last look saw, or this one so far. Any thread.
  [[nodiscard]] size_t entries() const { return entries_; }
  // The last look stopped at a limit: there may be more.
  [[nodiscard]] bool cut() const { return cut_; }
  // By the last look.
  [[nodiscard]] const Skipped& skipped() const { return skipped_; }
  // Files of any name that it saw.
  [[nodiscard]] size_t files() const { return files_; }
  // Folders that could not be looked into, and why; they count as skipped, too.
  [[nodiscard]] const std::vector<SkippedFile>& closed_folders() const { return closed_folders_; }
  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }
  // Folders that may be runs, by the last look, in no order.
  [[nodiscard]] const std::vector<MarkedFolder>& marked() const { return marked_; }
  [[nodiscard]] const FileGate& gate() const { return gate_; }

 private:
  struct Candidate;
  struct Known {
    FileStamp stamp;
    Sniffed sniffed;
    bool seen = false;  // by the current look
  };
  // The look that is under way.
  struct Looking {
    const SoFar& so_far;
    const std::atomic<bool>* canceled = nullptr;
    size_t next_report = 0;  // entries
    std::vector<Candidate> out;
  };
  [[nodiscard]] bool Continue(Looking& looking);
  [[nodiscard]] std::vector<FoundProfile> Group(std::vector<Candidate> candidates) const;
  void Walk(size_t root, Looking& looking);
  void Take(size_t root, const std::string& path, bool named, std::vector<Candidate>& out);
  void TakeNamed(size_t root, std::vector<Candidate>& out);
  void Skip(const std::string& path, std::string_view why);
  void LeaveOutCopies(std::vector<Candidate>& candidates);

  std::vector<Root> roots_;
  FileGate gate_;
  FindLimits limits_;
  std::map<std::string, Known, std::less<>> known_;  // by path
  std::atomic<size_t> entries_ = 0;
  bool cut_ = false;
  Skipped skipped_;
  size_t files_ = 0;
  std::vector<SkippedFile> closed_folders_;
  std::vector<MarkedFolder> marked_;
};

}  // namespace telltale
