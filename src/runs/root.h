// SPDX-License-Identifier: Apache-2.0
// A file or folder that a user named, to be looked through. A server reads nothing else, whatever
// links lead to.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_gate.h"

namespace telltale {

struct Root {
  std::string name;  // first part of what is shown; the folder's own name unless one was given
  std::string path;  // as given
  std::string real;  // without links, absolute
  bool is_folder = false;
  bool is_named = false;  // the name was given
};

// `name` may be empty. An Error if there is nothing at `path`.
[[nodiscard]] Result<Root> MakeRoot(std::string name, const std::string& path);

// A folder that may be made later: one that is not there is no Error.
[[nodiscard]] Result<Root> AwaitRoot(std::string name, const std::string& path);

// What opens files below the roots alone.
[[nodiscard]] FileGate GateTo(const std::vector<Root>& roots);

}  // namespace telltale
