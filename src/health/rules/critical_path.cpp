// SPDX-License-Identifier: Apache-2.0
// Rules about the critical path: first_on_path, guessed_dependencies.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kWorthIt = 0.05;

std::string NameOfCause(const PathCauseRow& row) {
  if (!row.name.empty()) return ShortName(row.name);
  std::string name(NameOf(row.cause));
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::optional<Recommendation> FindFirstOnPath(const Facts& facts) {
  const Facts::Shared<CriticalPathReport> report = facts.CriticalPath();
  const auto first = std::ranges::find_if(
      report->causes, [](const PathCauseRow& row) { return row.average_if_free_ns.has_value(); });
  if (first == report->causes.end() || report->average_ns <= 0) return std::nullopt;
  const int64_t saved = report->average_ns - *first->average_if_free_ns;
  const double share = static_cast<double>(saved) / static_cast<double>(report->average_ns);
  if (share < kWorthIt) return std::nullopt;
  Recommendation made = Make(
      AdviceSeverity::kLow,
      fmt::format("{} is the largest part of the critical path: freed entirely, it saves {} of "
                  "{}.",
                  NameOfCause(*first), Duration(saved), Duration(report->average_ns)),
      "Begin there: work beside the path can be made faster without the step getting shorter.");
  AddEvidence(made, "cause", std::string(NameOf(first->cause)));
  if (!first->name.empty()) AddEvidence(made, "name", first->name);
  AddEvidence(made, "saved_ns", saved);
  AddEvidence(made, "saved_share", share);
  AddEvidence(made, "path_share", first->share);
  return made;
}

std::optional<Recommendation> FindGuessedDependencies(const Facts& facts) {
  const Facts::Shared<CriticalPathReport> report = facts.CriticalPath();
  const uint64_t guessed = report->notes.guessed_dependencies;
  if (guessed == 0) return std::nullopt;
  Recommendation made = Make(AdviceSeverity::kLow,
                             fmt::format("{} guessed from the times alone.",
                                         Counted(guessed, "dependency between streams is",
                                                 "dependencies between streams are")),
                             "Capture with enable_cuda_sync_events=True to know them.");
  AddEvidence(made, "guessed_dependencies", guessed);
  AddEvidence(made, "known_dependencies", report->notes.known_dependencies);
  return made;
}

}  // namespace

Rule FirstOnPath() {
  return {
      .id = "first_on_path",
      .title = "largest on the critical path",
      .needs = "operators, and device events if there is a device",
      .threshold = "without the largest cause of the critical path a step would be >= 5 % shorter",
      .reason = "below, no single cause decides how long a step takes",
      .views = {"critical_path"},
      .of_subject = FindFirstOnPath};
}

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
