// SPDX-License-Identifier: Apache-2.0
// Runs the rules over a subject: what to do about its causes, and hints beside them. Sorted by what
// they save.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/causes/causes.h"
#include "analysis/core/context.h"
#include "analysis/work/report.h"
#include "health/facts.h"
#include "health/recommendation.h"

namespace telltale::health {

// The rules about causes and about single ranks, which every overview shows; of several ranks the
// most severe recommendation of a rule, of equal ones the first rank's. `reports`: one for each
// trace, with operators and kernels by name.
[[nodiscard]] std::vector<Recommendation> AdviseRanks(std::span<const TraceContext> traces,
                                                      std::span<const ProfileReport> reports,
                                                      const CausesReport& causes);

// What one view shows (an empty name: all views): of what AdviseRanks said, and of the rules about
// the whole subject. Only the analyses that these need are made.
[[nodiscard]] std::vector<Recommendation> AdviseView(const Facts& facts,
                                                     std::span<const Recommendation> of_ranks,
                                                     std::string_view view);

// Whether a rule that this view shows is about causes, or is silent where such a one speaks.
[[nodiscard]] bool SpeaksOfCauses(std::string_view view);

}  // namespace telltale::health
