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
#include <vector>

#include "formats/registry.h"
#include "server/roots.h"

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

struct FindLimits {
  size_t depth = 16;         // folders below a root
  size_t entries = 200'000;  // looked at in one go
  size_t files = 10'000;     // taken
};

class ProfileFinder {
 public:
  explicit ProfileFinder(std::vector<Root> roots, FindLimits limits = {})
      : roots_(std::move(roots)), gate_(GateTo(roots_)), limits_(limits) {}

  // In the order in which they are shown. `so_far` gets what was found until then, at first often,
  // then ever more rarely. Ends early when `canceled` becomes true.
  using SoFar = std::function<void(std::vector<FoundProfile>)>;
  [[nodiscard]] std::vector<FoundProfile> Look(const SoFar& so_far = {},
                                               const std::atomic<bool>* canceled = nullptr);
  // Files and folders that the last look saw, or this one so far. Any thread.
  [[nodiscard]] size_t entries() const { return entries_; }
  // The last look stopped at a limit: there may be more.
  [[nodiscard]] bool cut() const { return cut_; }
  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }

 private:
  struct Candidate;
  struct Known {
    FileStamp stamp;
    const Format* sniffed = nullptr;
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

  std::vector<Root> roots_;
  FileGate gate_;
  FindLimits limits_;
  std::map<std::string, Known, std::less<>> known_;  // by path
  std::atomic<size_t> entries_ = 0;
  bool cut_ = false;
};

}  // namespace telltale
