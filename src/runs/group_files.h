// SPDX-License-Identifier: Apache-2.0
// Which files are one capture. Ranks and workers that recorded the same span in one folder (or in
// folders that differ by the rank alone) are one profile; every other file is one by itself. Names
// and times in names decide, nothing is opened.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runs/find_profiles.h"

namespace telltale {

struct ListedFile {
  std::string root_name;   // first part of the names
  size_t root_number = 0;  // tells roots of the same name apart
  std::string relative;    // path below the root, with '/'
  FoundFile file;
  std::optional<ContentKind> kind;
};

// Ids follow from the names of roots and files alone, so that they survive a restart.
[[nodiscard]] std::vector<FoundProfile> GroupFiles(std::vector<ListedFile> files);

// Workers of one capture end within this time of each other.
constexpr int64_t kSameCaptureNs = int64_t{10} * 60 * 1'000'000'000;

}  // namespace telltale
