// SPDX-License-Identifier: Apache-2.0
// Where the Python package lies that records from inside a Python program, and what its programs
// need in their environment to load it.
#pragma once

#include <string>
#include <string_view>

#include "collect/environment.h"

namespace telltale {

// The folder that PYTHONPATH begins with (…/telltale/_inject); empty: the package is not installed.
// `override_folder`: TELLTALE_PYTHON_DIR; `program`: the absolute path of this binary.
[[nodiscard]] std::string FindInjector(std::string_view override_folder,
                                       const std::string& program);

// The absolute path of this binary.
[[nodiscard]] std::string OwnProgram();

// Puts the folder first.
void PrependPythonPath(Environment& environment, std::string_view folder);

}  // namespace telltale
