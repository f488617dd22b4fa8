// SPDX-License-Identifier: Apache-2.0
// Reading the inputs of a command with progress, and saying what could not be read. Shared by the
// commands that take traces.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/progress.h"
#include "runs/load.h"

namespace telltale {

// Files that could not be read beside others that could are named on standard error. `call_pairs`:
// whether to keep who called whom, `series`: event files of folders, too (LoadOptions),
// `functions`: of folders, profiles of functions rather than traces.
[[nodiscard]] Result<Subject> LoadWithProgress(std::span<const std::string> paths,
                                               std::optional<int64_t> rank, unsigned threads,
                                               Progress& progress, bool call_pairs = true,
                                               bool series = false,
                                               FolderContent wanted = FolderContent::kProfiles);

}  // namespace telltale
