// SPDX-License-Identifier: Apache-2.0
// The rule pairs_only: what a profile of functions cannot tell.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

std::optional<Recommendation> FindPairsOnly(const Facts& facts) {
  const auto pairs = static_cast<uint64_t>(std::ranges::count(
      facts.subject().Each<FunctionProfile>(), FunctionShape::kPairs, &FunctionProfile::shape));
  if (pairs == 0) return std::nullopt;
  Recommendation made = Make(
      AdviceSeverity::kLow,
      "The profile holds functions and their callers, not whole call paths: times of paths are "
      "ranges.",
      "py-spy record -f speedscope, viztracer or a torch trace with with_stack=True hold them.");
  AddEvidence(made, "profiles", pairs);
  return made;
}

}  // namespace

Rule PairsOnly() {
  return {.id = "pairs_only",
          .title = "no call paths",
          .needs = "a profile of functions",
          .threshold = "a profile holds callers and callees only, as cProfile's does",
          .reason = "what a longer path took is not in it and is never made up",
          .views = {"functions"},
          .of_subject = FindPairsOnly};
}

}  // namespace telltale::health
