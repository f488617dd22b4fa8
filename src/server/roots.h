// SPDX-License-Identifier: Apache-2.0
// What the user allowed the server to read. Nothing else is ever opened, whatever links lead to.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_gate.h"
#include "runs/root.h"

namespace telltale {

// `name` may be empty. An Error if there is nothing at `path`.
[[nodiscard]] Result<Root> MakeRoot(std::string name, const std::string& path);

// What opens files for the server.
[[nodiscard]] FileGate GateTo(const std::vector<Root>& roots);

}  // namespace telltale
