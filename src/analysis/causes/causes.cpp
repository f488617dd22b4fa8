// SPDX-License-Identifier: Apache-2.0
// The analysis as a whole: what lies on the paths, which of it is worth a replay, what each would
// save, and what they save together.
#include "analysis/causes/causes.h"

#include <algorithm>
#include <utility>

#include "analysis/causes/candidates.h"
#include "analysis/causes/place.h"
#include "analysis/causes/replay.h"
#include "analysis/causes/savings.h"
#include "analysis/causes/straggling.h"
#include "analysis/causes/unattributed.h"
#include "analysis/core/sums.h"
#include "analysis/critical_path/worlds.h"
#include "base/parallel.h"

namespace telltale {

namespace {

// What lies on a path for less than this share of it is not worth a replay …
constexpr double kWorthReplay = 0.005;
// … and what saves less is no cause, unless there is no other.
constexpr double kWorthSaying = 0.02;
// A replay costs memory and time for each.
constexpr size_t kMostCandidates = 24;
constexpr size_t kMostCauses = 12;
// Time that nobody can judge is worth a word from here on.
constexpr double kUnknownShare = 0.05;
// What one step would save so many times the mean is mostly in that one.
constexpr int64_t kFarMore = 2;
// Ranks whose own steps are shorter than this share of the common one begin far apart.
constexpr double kSameLength = 0.9;

// The name of the region that would save most, where that is far more than the others would.
std::string WorstRegion(std::span<const CausePaths> all, const Candidate& candidate,
                        int64_t mean_ns) {
  const auto most = std::ranges::max_element(candidate.savings_ns);
  if (candidate.savings_ns.size() < 2 || *most < kFarMore * mean_ns) return "";
  auto at = static_cast<size_t>(most - candidate.savings_ns.begin());
  for (const CausePaths& paths : all) {
    if (at < paths.at->regions.size()) return paths.at->regions[at].name;
    at -= paths.at->regions.size();
  }
  return "";
}

bool LaunchesIn(const PathGraph& graph, const Interval& window) {
  return std::ranges::any_of(graph.streams, [&](const PathStream& stream) {
    return graph.FirstLaunchedFrom(stream, window.start_ns) <
           graph.FirstLaunchedFrom(stream, window.end_ns);
  });
}

Cause CauseOf(const Candidate& candidate, bool joined, int64_t regions) {
  Cause cause;
  cause.kind = candidate.kind;
  cause.what = candidate.name;
  cause.path_ns = candidate.path_ns / regions;
  cause.calls = candidate.calls;
  cause.pieces = candidate.pieces;
  cause.more_ns = candidate.more_ns;
  if (!candidate.savings_ns.empty()) {
    const auto [least, most] = std::ranges::minmax(candidate.savings_ns);
    cause.saving_ns = candidate.saving_ns / regions;
    cause.least_saving_ns = least;
    cause.most_saving_ns = most;
  }
  if (joined) {
    for (const auto& [file, potential] : candidate.potential_of_file) {
      if (potential >= candidate.potential_ns / 10 * 9) cause.file = file;
    }
  }
  if (candidate.paths == nullptr) return cause;
  const PathWorld& world = candidate.paths->at->world;
  const PathGraph& graph = world.graphs[candidate.graph];
  const CausePiece& longest = candidate.longest;
  cause.example_file = world.file[candidate.graph];
  if (longest.span != kNoRow) cause.example_row = longest.span;
  cause.example_start_ns = longest.from_ns - graph.offset_ns + graph.context->trace.base_time_ns;
  cause.example_duration_ns = longest.to_ns - longest.from_ns;
  const CausePlace place =
      PlaceOfPiece(graph, candidate.paths->classifier->FramesOf(candidate.graph), longest);
  cause.inside = place.inside;
  cause.called_from = place.called_from;
  if (cause.kind == CauseKind::kHostOperator && longest.span != kNoRow) {
    const SpanTable& spans = graph.context->trace.spans;
    cause.launches = LaunchesIn(graph, {spans.start_ns[longest.span] + graph.offset_ns,
                                        spans.end_ns(longest.span) + graph.offset_ns});
  }
  return cause;
}

uint64_t OperatorsIn(const PathGraph& graph, const Interval& bounds) {
  const SpanTable& spans = graph.context->trace.spans;
  const HostTree& tree = graph.context->tree;
  uint64_t count = 0;
  for (uint32_t t = 0; t < graph.threads.size(); ++t) {
    const NodeId first = graph.FirstNodeFrom(t, bounds.start_ns, graph.threads[t].first_node);
    const NodeId last = graph.FirstNodeFrom(t, bounds.end_ns, first);
    for (NodeId node = first; node < last; ++node) {
      if (spans.category[tree.span[node]] == Category::kOperator) ++count;
    }
  }
  return count;
}

// Device work launched in the regions; of graphs without any, operators.
uint64_t LaunchedWork(std::span<const CausePaths> all) {
  uint64_t count = 0;
  for (const CausePaths& paths : all) {
    for (const CriticalRegion& region : paths.at->regions) {
      for (const RegionLaunches& launches : region.launches) {
        const PathGraph& graph = paths.at->world.graphs[launches.graph];
        for (const PathStream& stream : graph.streams) {
          count += graph.FirstLaunchedFrom(stream, launches.window.end_ns) -
                   graph.FirstLaunchedFrom(stream, launches.window.start_ns);
        }
        if (!paths.classifier->launches(launches.graph)) {
          count += OperatorsIn(graph, region.bounds);
        }
      }
    }
  }
  return count;
}

void SumWork(std::span<const Candidate> candidates, int64_t regions, CausesReport& report) {
  for (const Candidate& candidate : candidates) {
    if (candidate.kind != CauseKind::kWork) continue;
    AddTo(report.work_ns, candidate.path_ns);
    if (candidate.path_ns > report.most_work_ns && !candidate.name.empty()) {
      report.most_work_ns = candidate.path_ns;
      report.most_work = candidate.name;
    }
  }
  report.work_ns /= regions;
  report.most_work_ns /= regions;
}

unsigned Threads(std::span<const TraceContext> files) {
  return files.empty() ? 1 : ThreadCount(files[0].options.threads);
}

void AddUnattributed(std::span<const TraceContext> files, CausesReport& report) {
  std::vector<UnattributedWork> of_file(files.size());
  ForEachOnThreads(Threads(files), files.size(), [&](size_t i) {
    of_file[i] = FindUnattributedWork(files[i].trace, files[i].tree, files[i].links);
  });
  UnattributedWork sum;
  for (const UnattributedWork& found : of_file) {
    AddTo(sum.device_ns, found.device_ns);
    AddTo(sum.graph_ns, found.graph_ns);
    AddTo(sum.no_launch_ns, found.no_launch_ns);
  }
  report.graph_share = sum.GraphShare();
  report.no_launch_share = sum.NoLaunchShare();
}

// What is left with the first k causes gone.
void FindWhatIsLeft(CandidateReplay& replay, std::span<const WorldRegions> worlds,
                    std::span<const Candidate> candidates, CausesReport& report) {
  const auto count = static_cast<uint32_t>(candidates.size());
  std::vector<std::vector<uint32_t>> cases_of(count);
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t k = i + 1; k <= count; ++k) cases_of[i].push_back(k);
  }
  std::vector<int64_t> left(count + 1, 0);
  if (count == 1) {
    left[1] = report.average_ns - *report.causes[0].saving_ns;
  } else {
    auto durations = replay.Durations(candidates, cases_of, count + 1);
    const auto slow = std::ranges::find(candidates, CauseKind::kSlowSteps, &Candidate::kind);
    const auto first = static_cast<size_t>(slow - candidates.begin()) + 1;
    for (const WorldRegions& world : worlds) {
      for (const size_t i : world.slow.slow) {
        // As long as the typical one in the same case.
        for (size_t k = first; k <= count; ++k) {
          int64_t& left_ns = durations[world.first + i][k];
          left_ns = std::min(left_ns, durations[world.first + world.slow.typical][k]);
        }
      }
    }
    for (const std::vector<int64_t>& region : durations) {
      for (uint32_t k = 1; k <= count; ++k) AddTo(left[k], region[k]);
    }
    for (int64_t& sum : left) sum /= static_cast<int64_t>(durations.size());
  }
  for (uint32_t i = 0; i < count; ++i) report.causes[i].left_ns = left[i + 1];
}

}  // namespace

void CausesReport::SpeakOf(int64_t step_ns) {
  // Ranks that do not begin together: what they have in common is another length altogether.
  if (static_cast<double>(step_ns) < kSameLength * static_cast<double>(average_ns)) return;
  for (Cause& cause : causes) {
    cause.left_ns = std::max<int64_t>(0, cause.left_ns - average_ns + step_ns);
    cause.share =
        static_cast<double>(cause.saving_ns.value_or(cause.path_ns)) / static_cast<double>(step_ns);
  }
  average_ns = step_ns;
}

CausesReport DescribeCauses(std::span<const TraceContext> files) {
  return DescribeCauses(files, FindRegionWorlds(files, "", 0));
}

CausesReport DescribeCauses(std::span<const TraceContext> files, const RegionWorlds& worlds) {
  CausesReport report;
  report.kind = worlds.kind;
  report.joined = worlds.joined;
  std::vector<CausePaths> all(worlds.all.size());
  ForEachOnThreads(Threads(files), all.size(),
                   [&](size_t i) { all[i] = FindCausePaths(worlds.all[i]); });
  for (const CausePaths& paths : all) {
    report.records_graph = report.records_graph || paths.classifier->records_graph();
    for (const PathGraph& graph : paths.at->world.graphs) {
      report.has_device = report.has_device || !graph.work.empty();
    }
  }
  AddUnattributed(files, report);
  const std::vector<int64_t> measured = RegionDurations(all);
  report.regions = measured.size();
  if (measured.empty()) return report;
  int64_t total = 0;
  for (const int64_t duration : measured) AddTo(total, duration);
  const auto regions = static_cast<int64_t>(measured.size());
  report.average_ns = total / regions;
  const auto is_worth = [&](int64_t ns, double share) {
    return static_cast<double>(ns) >= share * static_cast<double>(total) && ns > 0;
  };

  const std::vector<Candidate> on_path = JoinSums(all);
  SumWork(on_path, regions, report);
  std::vector<Candidate> candidates;
  for (const Candidate& candidate : on_path) {
    if (IsAvoidable(candidate.kind) && candidates.size() < kMostCandidates &&
        is_worth(candidate.potential_ns, kWorthReplay)) {
      candidates.push_back(candidate);
    }
  }
  std::optional<uint32_t> late_file;
  if (worlds.joined) {
    late_file = worlds.all[0].world.file[*LateGraph(all[0])];
    Candidate late;
    late.kind = CauseKind::kLateRank;
    late.potential_of_file[*late_file] = 0;
    candidates.push_back(std::move(late));
  }
  CandidateReplay replay(all, candidates, Threads(files));
  if (!candidates.empty()) FindSavings(replay, measured, candidates);
  SettleSubstitutes(replay, candidates);
  if (late_file) SettleLateRank(candidates, *late_file);
  const std::vector<WorldRegions> slow = SlowStepsOf(all, measured);
  AddSlowSteps(slow, measured, candidates);
  size_t said = 0;
  while (said < candidates.size() && said < kMostCauses &&
         is_worth(candidates[said].saving_ns, said == 0 ? kWorthReplay : kWorthSaying)) {
    ++said;
  }
  candidates.resize(said);
  for (const Candidate& candidate : candidates) {
    report.causes.push_back(CauseOf(candidate, worlds.joined, regions));
    Cause& cause = report.causes.back();
    cause.share = static_cast<double>(candidate.saving_ns) / static_cast<double>(total);
    if (cause.kind == CauseKind::kLaunchOverhead) {
      cause.calls = LaunchedWork(all);
      cause.on_host = !report.has_device;
    }
    if (cause.kind == CauseKind::kLateRank) cause.file = late_file;
    cause.worst_region = WorstRegion(all, candidate, candidate.saving_ns / regions);
  }
  if (said > 0) FindWhatIsLeft(replay, slow, candidates, report);
  for (const Candidate& candidate : on_path) {
    if (!IsUnknown(candidate.kind) || !is_worth(candidate.path_ns, kUnknownShare)) continue;
    report.causes.push_back(CauseOf(candidate, worlds.joined, regions));
    Cause& cause = report.causes.back();
    cause.share = static_cast<double>(candidate.path_ns) / static_cast<double>(total);
    cause.left_ns = said > 0 ? report.causes[said - 1].left_ns : report.average_ns;
  }
  return report;
}

}  // namespace telltale
