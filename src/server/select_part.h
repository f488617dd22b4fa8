// SPDX-License-Identifier: Apache-2.0
// The part of a profile that steps, rank and ranges (steps, rank, inside, step-annotation) leave.
#pragma once

#include <memory>

#include "base/result.h"
#include "server/open_profile.h"
#include "views/build_profile.h"
#include "views/profile_request.h"

namespace telltale {

// Turns the request to what the profile holds (functions or memory, where it has no trace). An
// Error (kUsage) if that cannot be, or if nothing is left.
[[nodiscard]] Result<std::shared_ptr<const PreparedProfile>> SelectPart(const OpenProfile& open,
                                                                        ProfileRequest& request);

}  // namespace telltale
