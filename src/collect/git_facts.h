// SPDX-License-Identifier: Apache-2.0
// What git says of a folder. git is asked, with everything off that would run other programs
// (hooks, monitors, external diffs) or write to the repository, and is given little time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collect/run_record.h"

namespace telltale {

struct GitAnswer {
  std::optional<GitFacts> facts;  // none: no repository, or no git
  std::string diff;               // of what is not committed; empty: nothing, or too much
  bool diff_too_large = false;
};

// Waits for git, at most `patience_ns`. One thread at a time.
[[nodiscard]] GitAnswer AskGit(const std::string& folder, size_t most_diff_bytes,
                               int64_t patience_ns);

// Of `git status --porcelain=v2 --branch`.
[[nodiscard]] GitFacts ReadGitStatus(std::string_view text);

}  // namespace telltale
