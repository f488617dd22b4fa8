// SPDX-License-Identifier: Apache-2.0
// From a subject to the profile that is shown: runs the analyses that the request needs, joins the
// traces' reports, and makes the views asked for.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/critical_path/worlds.h"
#include "base/result.h"
#include "model/subject.h"
#include "views/built_views.h"
#include "views/profile.h"
#include "views/profile_request.h"

namespace telltale {

// What all requests with the same AnalysisOptions share, so that a server finds it once.
struct PreparedProfile {
  Subject subject;                     // the part asked for
  std::vector<TraceContext> contexts;  // of its traces
  Profile base;
  // The graphs that the causes were read from, where they were to be kept.
  std::shared_ptr<const RegionWorlds> worlds;

  [[nodiscard]] size_t memory_bytes() const {
    size_t bytes = 0;
    for (const TraceContext& context : contexts) bytes += context.memory_bytes();
    return bytes;
  }
};

// `rank`: the traces of this one only; an Error if there is none, or if a regular expression is too
// much work. `keep_worlds`: views will be built once and at once, and may use the graphs again.
[[nodiscard]] Result<PreparedProfile> PrepareProfile(const Subject& subject,
                                                     const AnalysisOptions& options,
                                                     std::optional<int64_t> rank = std::nullopt,
                                                     bool keep_worlds = false);

enum class Extent : uint8_t {
  kOverview,  // the basic views, and functions that came beside the traces
  kWhole,     // everything that has something to say
};

// The view that the request names, or an overview. `prepared` must outlive the result.
[[nodiscard]] BuiltViews BuildViews(const PreparedProfile& prepared, const ProfileRequest& request,
                                    Extent extent);

}  // namespace telltale
