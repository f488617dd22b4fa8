// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/straggling.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

// What costs so much of the slow steps' excess is the reason for it.
constexpr double kExplainsSlowSteps = 0.5;

// What the slowest step has more of on its path than the typical one.
void NameSlowSteps(const WorldRegions& world, Candidate& candidate) {
  const PathWorld& graphs = world.paths->at->world;
  PieceSums slow(graphs);
  PieceSums usual(graphs);
  SumPath(*world.paths, {world.slow.slowest, world.slow.slowest + 1}, slow);
  SumPath(*world.paths, {world.slow.typical, world.slow.typical + 1}, usual);
  const auto key = [](const PieceSum& sum) { return std::tuple(sum.graph, sum.kind, sum.name); };
  std::map<std::tuple<uint32_t, CauseKind, StringId>, int64_t> usual_ns;
  for (const PieceSum& sum : usual.all()) usual_ns[key(sum)] = sum.path_ns;
  for (const PieceSum& sum : slow.all()) {
    const auto known = usual_ns.find(key(sum));
    const int64_t more = sum.path_ns - (known == usual_ns.end() ? 0 : known->second);
    if (more <= candidate.more_ns || sum.name == kNoString) continue;
    candidate.more_ns = more;
    candidate.graph = sum.graph;
    candidate.longest = sum.longest;
    candidate.paths = world.paths;
    candidate.name = graphs.graphs[sum.graph].context->trace.Text(sum.name);
  }
}

}  // namespace

std::vector<WorldRegions> SlowStepsOf(std::span<const CausePaths> all,
                                      std::span<const int64_t> measured) {
  std::vector<WorldRegions> found;
  size_t first = 0;
  for (const CausePaths& paths : all) {
    const size_t count = paths.at->regions.size();
    found.push_back({&paths, first, FindSlowSteps(measured.subspan(first, count))});
    first += count;
  }
  return found;
}

void AddSlowSteps(std::span<const WorldRegions> worlds, std::span<const int64_t> measured,
                  std::vector<Candidate>& candidates) {
  Candidate slow;
  slow.kind = CauseKind::kSlowSteps;
  slow.savings_ns.resize(measured.size(), 0);
  const WorldRegions* worst = nullptr;
  int64_t explained_ns = 0;
  for (const WorldRegions& world : worlds) {
    if (world.slow.empty()) continue;
    if (worst == nullptr || world.slow.excess_ns > worst->slow.excess_ns) worst = &world;
    const size_t count = world.paths->at->regions.size();
    for (const Candidate& candidate : candidates) {
      AddTo(explained_ns,
            ExplainedBy(world.slow, std::span(candidate.savings_ns).subspan(world.first, count)));
    }
    for (const size_t i : world.slow.slow) {
      slow.savings_ns[world.first + i] =
          measured[world.first + i] - measured[world.first + world.slow.typical];
    }
    AddTo(slow.saving_ns, world.slow.excess_ns);
    slow.calls += world.slow.slow.size();
  }
  if (worst == nullptr || static_cast<double>(explained_ns) >=
                              kExplainsSlowSteps * static_cast<double>(slow.saving_ns)) {
    return;
  }
  NameSlowSteps(*worst, slow);
  slow.pieces = slow.calls;
  const auto at = std::ranges::find_if(
      candidates, [&](const Candidate& other) { return other.saving_ns < slow.saving_ns; });
  candidates.insert(at, std::move(slow));
}

}  // namespace telltale
