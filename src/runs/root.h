// SPDX-License-Identifier: Apache-2.0
// A file or folder that a user named, to be looked through.
#pragma once

#include <string>

namespace telltale {

struct Root {
  std::string name;  // first part of what is shown; the folder's own name unless one was given
  std::string path;  // as given
  std::string real;  // without links, absolute
  bool is_folder = false;
};

}  // namespace telltale
