// SPDX-License-Identifier: Apache-2.0
// From loaded files to the profile that is shown: runs the analyses that the request needs, joins
// the files' reports, and makes the sections asked for.
#pragma once

#include <optional>
#include <vector>

#include "analysis/core/context.h"
#include "base/result.h"
#include "formats/load.h"
#include "views/options.h"
#include "views/profile.h"
#include "views/profile_request.h"

namespace telltale {

// What all requests with the same AnalysisOptions share, so that a server finds it once.
struct PreparedProfile {
  std::vector<TraceContext> contexts;
  Profile base;  // everything but the sections
};

// `rank`: the traces of this one only; an Error if there is none, or if a regular expression is too
// much work. `loaded` must outlive the result.
[[nodiscard]] Result<PreparedProfile> PrepareProfile(const Loaded& loaded,
                                                     const AnalysisOptions& options,
                                                     std::optional<int64_t> rank = std::nullopt);

// `prepared` with the options of the request; it must outlive the profile, as `loaded` must.
[[nodiscard]] Profile BuildProfile(const Loaded& loaded, const PreparedProfile& prepared,
                                   const ProfileRequest& request, const Arguments& arguments);

// Both in one, over all that was loaded.
[[nodiscard]] Result<Profile> BuildProfile(const Loaded& loaded, const ProfileRequest& request,
                                           const Arguments& arguments);

}  // namespace telltale
