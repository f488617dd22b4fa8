// SPDX-License-Identifier: Apache-2.0
// The event files below a folder, as TensorBoard finds them: any name with "tfevents" in it.
#pragma once

#include <string>
#include <vector>

#include "formats/load.h"

namespace telltale {

struct EventFiles {
  std::vector<std::string> paths;   // by folder, then by name
  std::vector<std::string> closed;  // folders that cannot be looked into, with the reason
  bool cut = false;                 // there are more than were looked at
};
// Regular files only. Links are followed; a folder that was seen is not looked into again.
[[nodiscard]] EventFiles FindEventFiles(const std::string& folder);

}  // namespace telltale
