// SPDX-License-Identifier: Apache-2.0
// Where a function is from: the user's own code or a library, and which package. The one place that
// decides it. Full paths say it themselves; torch's traces shorten paths to what follows
// site-packages or the standard library, so there the first word of the path decides.
#pragma once

#include <string_view>

namespace telltale {

struct Origin {
  // What functions from one place have in common: a package ("torch"), a module of the standard
  // library ("threading"), an own file ("train.py"), "built-in"; empty where no file is known.
  std::string_view package;
  bool own = true;
};

// A `file` without data: the function has none. What is returned lies in the file's text.
[[nodiscard]] Origin OriginOf(std::string_view file, std::string_view name);

}  // namespace telltale
