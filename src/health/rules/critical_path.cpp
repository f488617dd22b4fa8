// SPDX-License-Identifier: Apache-2.0
// The rule guessed_dependencies.
#include <fmt/format.h>

#include <optional>

#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

std::optional<Recommendation> FindGuessedDependencies(const Facts& facts) {
  const Facts::Shared<CriticalPathReport> report = facts.CriticalPath();
  const uint64_t guessed = report->notes.guessed_dependencies;
  if (guessed == 0) return std::nullopt;
  Recommendation made = Make(
      AdviceSeverity::kLow,
      fmt::format(
          "{} guessed from the times alone.",
          Counted(guessed, "dependency between streams is", "dependencies between streams are")),
      facts.OnAmd() ? "ROCm records no such dependencies: take what crosses streams for likely."
                    : "Capture with enable_cuda_sync_events=True to know them.");
  AddEvidence(made, "guessed_dependencies", guessed);
  AddEvidence(made, "known_dependencies", report->notes.known_dependencies);
  return made;
}

}  // namespace

Rule GuessedDependencies() {
  return {.id = "guessed_dependencies",
          .title = "guessed dependencies",
          .needs = "kernels on several streams",
          .threshold = "a dependency between streams is not in the trace",
          .reason = "a wrong guess may lead the path over the wrong stream",
          .views = {"critical_path"},
          .of_subject = FindGuessedDependencies};
}

}  // namespace telltale::health
