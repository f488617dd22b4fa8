// SPDX-License-Identifier: Apache-2.0
// The rule unattributed_work: device work of which the capture does not say which operator it is.
#include "analysis/causes/unattributed.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "health/evidence.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kWorthAWord = 0.05;

std::optional<Recommendation> FindUnattributed(const RankFacts& rank) {
  const UnattributedWork work = FindUnattributedWork(rank.trace, rank.tree, rank.links);
  const double graph = work.GraphShare();
  const double no_launch = work.NoLaunchShare();
  if (graph + no_launch < kWorthAWord) return std::nullopt;
  std::string finding;
  std::string remedy;
  if (graph >= kWorthAWord) {
    finding = fmt::format(
        "{} of the device's time ({}) was launched by {} of whole graphs, which "
        "do not say which operators their {} belong to.",
        Share(graph), Duration(work.graph_ns), Counted(work.graph_launches, "launch", "launches"),
        Counted(work.graph_events, "kernel and copy", "kernels and copies"));
    remedy = "A recording without graphs (eager mode, or of the capture itself) names them.";
  }
  if (no_launch >= kWorthAWord) {
    if (!finding.empty()) finding += " ";
    finding += fmt::format(
        "{} of the device's time ({}) has no launch in the trace, and belongs "
        "to no operator.",
        Share(no_launch), Duration(work.no_launch_ns));
    if (!remedy.empty()) remedy += " ";
    remedy +=
        "Work from before the recording needs a warm-up (schedule(warmup=…)); work of a "
        "thread or library that is not recorded stays without a name.";
  }
  Recommendation made = Make(AdviceSeverity::kLow, finding, remedy);
  AddEvidence(made, "device_ns", work.device_ns);
  AddEvidence(made, "graph_ns", work.graph_ns);
  AddEvidence(made, "graph_share", graph);
  AddEvidence(made, "graph_launches", work.graph_launches);
  AddEvidence(made, "no_launch_ns", work.no_launch_ns);
  AddEvidence(made, "no_launch_share", no_launch);
  AddEvidence(made, "no_launch_events", work.no_launch_events);
  AddExample(made, rank.trace, graph >= no_launch ? work.graph_launch : work.no_launch);
  return made;
}

}  // namespace

Rule Unattributed() {
  return {.id = "unattributed_work",
          .title = "work of unknown operators",
          .needs = "device events",
          .threshold = ">= 5 % of the device's time was launched by graphs or has no launch",
          .reason = "what is said of operators and causes leaves it out",
          .views = {"overview", "causes", "launches", "critical_path"},
          .of_rank = FindUnattributed};
}

}  // namespace telltale::health
