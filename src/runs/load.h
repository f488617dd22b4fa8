// SPDX-License-Identifier: Apache-2.0
// From what a user names to a subject: files, folders, or "-" for standard input. The way in for
// commands; the server names files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/load.h"
#include "runs/discover.h"

namespace telltale {

// Expands folders (discover.h). An empty folder, a missing path or a path without permission is an
// Error that says what to do.
[[nodiscard]] Result<std::vector<InputFile>> FindInputs(
    std::span<const std::string> paths, FolderContent wanted = FolderContent::kProfiles);

// Fails if no file at all could be read.
[[nodiscard]] Result<Subject> LoadTraces(std::span<const std::string> paths,
                                         const LoadOptions& options);
// Likewise; `wanted` of folders.
[[nodiscard]] Result<Subject> LoadWanted(std::span<const std::string> paths,
                                         const LoadOptions& options, FolderContent wanted);

}  // namespace telltale
