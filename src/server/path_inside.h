// SPDX-License-Identifier: Apache-2.0
// Paths that a file names, kept within the folder that the file belongs to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace telltale {

// The absolute path of what is named in `folder`; nullopt: it would lead out of that folder.
[[nodiscard]] std::optional<std::string> PathInside(std::string_view folder,
                                                    std::string_view named);

}  // namespace telltale
