// SPDX-License-Identifier: Apache-2.0
// `telltale validate` for people: a verdict, then what was found.
#pragma once

#include <string>

#include "views/profile.h"
#include "views/render/terminal.h"

namespace telltale {

// `findings` holds the files and, as diagnostics, what the checks found.
[[nodiscard]] std::string Verdict(const Profile& findings, bool unicode = true);
[[nodiscard]] std::string ValidateText(const Profile& findings, const OutputStyle& style);

}  // namespace telltale
