// SPDX-License-Identifier: Apache-2.0
// Where deleted runs go: a folder beside the sidecar, from which they come back as they were. Files
// are only ever renamed, never copied or removed. What cannot be moved (a database, a folder that
// may not be written) stays where it is, and is marked as deleted by the sidecar alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runs/find_runs.h"
#include "runs/root.h"
#include "runs/sidecar.h"

namespace telltale {

struct Trashed {
  std::string folder;  // in the trash; empty: nothing was moved
  std::string moved;   // "." for the run's whole folder; else its files, one a line
};

class Trash {
 public:
  Trash(const Sidecar& sidecar, const Root& root) : sidecar_(sidecar), root_(root) {}

  // `others`: folders of other runs; where one is inside this run's folder, only files are moved.
  [[nodiscard]] Result<Trashed> Put(const FoundRun& run, const std::vector<std::string>& others,
                                    std::string_view id) const;
  // An Error where something is in its place by now: nothing is ever overwritten.
  [[nodiscard]] Result<void> Restore(const std::string& relative, const Trashed& trashed) const;

 private:
  const Sidecar& sidecar_;
  const Root& root_;
};

}  // namespace telltale
