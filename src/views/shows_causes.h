// SPDX-License-Identifier: Apache-2.0
// Requests of which nothing is read from the causes, and profiles for them: the causes are a good
// part of the work.
#pragma once

#include "views/build_profile.h"

namespace telltale {

// Whether a sentence, an advice or a row that the request shows is read from the causes.
[[nodiscard]] bool ShowsCauses(const ProfileRequest& request);

// As PrepareProfile, without causes and the advice that follows from them.
[[nodiscard]] Result<PreparedProfile> PrepareWithoutCauses(const Subject& subject,
                                                           const AnalysisOptions& options);

}  // namespace telltale
