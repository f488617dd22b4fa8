// SPDX-License-Identifier: Apache-2.0
// `telltale validate`: what the checks find in a subject, and a verdict on it.
#pragma once

#include <string>

#include "model/subject.h"
#include "views/profile.h"
#include "views/render/terminal.h"

namespace telltale {

inline constexpr int kValidateSchema = 1;

// The files and, as diagnostics, what was found: errors first; within a severity the files keep
// their order.
[[nodiscard]] Profile ValidateSubject(const Subject& subject);
// Whether any finding is an error.
[[nodiscard]] bool HasError(const Profile& findings);

[[nodiscard]] std::string Verdict(const Profile& findings, bool unicode = true);
[[nodiscard]] std::string ValidateText(const Profile& findings, const OutputStyle& style);
[[nodiscard]] std::string ValidateJson(const Profile& findings);

}  // namespace telltale
