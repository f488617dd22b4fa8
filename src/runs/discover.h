// SPDX-License-Identifier: Apache-2.0
// Which files stand behind the paths that a user of a command names. Folders are looked through as
// the server does (find_profiles.h); of what is there, what belongs together is taken.
#pragma once

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
// Keeps the order of the arguments, sorts within a folder by worker, then span.
[[nodiscard]] Discovery Discover(std::span<const std::string> paths);

}  // namespace telltale
