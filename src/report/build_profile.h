// SPDX-License-Identifier: Apache-2.0
// From loaded files to the profile that is shown: runs the analyses that the request needs, joins
// the files' reports, and makes the sections asked for.
#pragma once

#include "formats/load.h"
#include "report/options.h"
#include "report/profile.h"
#include "report/profile_request.h"

namespace telltale {

// `loaded` must outlive the profile.
[[nodiscard]] Profile BuildProfile(const Loaded& loaded, const ProfileRequest& request,
                                   const Arguments& arguments);

}  // namespace telltale
