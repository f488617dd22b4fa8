// SPDX-License-Identifier: Apache-2.0
// Which files stand behind the paths that a user of a command names. Folders are looked through as
// the server does (find_profiles.h); of what is there, what belongs together is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/load.h"

namespace telltale {

struct Discovery {
  std::vector<InputFile> files;
  std::vector<Error> failures;     // paths behind which there is nothing to read
  std::vector<std::string> notes;  // what else is in the folders, and what was left out
};
// What is wanted of folders; files that are named are wanted in any case.
enum class FolderContent : uint8_t {
  kProfiles,
  kFunctions,       // profiles of functions where there are some, not the traces beside them
  kTimedFunctions,  // likewise, and of those what was sampled: it knows when functions ran
  kEventFiles,
  kProfilesOrEventFiles,  // event files where there are no profiles
  kAll,
};
// Keeps the order of the arguments, sorts within a folder by worker, then span.
[[nodiscard]] Discovery Discover(std::span<const std::string> paths,
                                 FolderContent wanted = FolderContent::kProfiles);

}  // namespace telltale
