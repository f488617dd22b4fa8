// SPDX-License-Identifier: Apache-2.0
// The analysis as a whole: what lies on the paths, which of it is worth a replay, what each would
// save, and what they save together.
#include "analysis/causes/causes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "analysis/causes/classify.h"
#include "analysis/causes/place.h"
#include "analysis/core/sums.h"
#include "analysis/critical_path/name_numbers.h"
#include "analysis/critical_path/what_if.h"
#include "analysis/critical_path/worlds.h"

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
// What the rank does alone and costs so much of its being late is the reason for it.
constexpr double kExplainsLateRank = 0.5;
// A graph that does not give its own regions back predicts nothing.
constexpr double kReplayError = 0.02;

struct Sum {
  uint32_t graph = 0;
  CauseKind kind = CauseKind::kWork;
  StringId name = kNoString;
  int64_t path_ns = 0;       // on the path
  int64_t potential_ns = 0;  // no more than this can be saved
  uint64_t calls = 0;
  uint64_t pieces = 0;
  SpanRow last_span = kNoRow;  // of the last region
  size_t last_region = SIZE_MAX;
  CausePiece longest;
};

// Of equal ones the first, whoever found it.
bool Longer(const CausePiece& a, const CausePiece& b) {
  const int64_t first = a.to_ns - a.from_ns;
  const int64_t second = b.to_ns - b.from_ns;
  return first != second ? first > second : a.from_ns < b.from_ns;
}

// What the paths of a world consist of; for one worker.
class Sums {
 public:
  explicit Sums(const PathWorld& world) : numbers_(world, kCauseKindCount) {}

  // What follows is of this region.
  void Begin(size_t region) { region_ = region; }

  void Add(uint32_t graph, const CausePiece& piece) {
    Sum& sum = At(graph, piece);
    AddTo(sum.path_ns, piece.to_ns - piece.from_ns);
    AddTo(sum.potential_ns, piece.avoidable_ns);
    Count(sum, piece);
  }
  // A call that waited: it may save as much as it took.
  void AddWait(uint32_t graph, const CausePiece& wait) {
    Sum& sum = At(graph, wait);
    AddTo(sum.potential_ns, wait.to_ns - wait.from_ns);
    Count(sum, wait);
  }
  [[nodiscard]] std::span<const Sum> all() const { return sums_; }

 private:
  Sum& At(uint32_t graph, const CausePiece& piece) {
    uint32_t& number = numbers_.At(graph, static_cast<size_t>(piece.kind), piece.name);
    if (number == 0) {
      Sum sum;
      sum.graph = graph;
      sum.kind = piece.kind;
      sum.name = piece.name;
      sums_.push_back(sum);
      number = static_cast<uint32_t>(sums_.size());
    }
    return sums_[number - 1];
  }
  void Count(Sum& sum, const CausePiece& piece) const {
    ++sum.pieces;
    if (piece.span == kNoRow || piece.span != sum.last_span || region_ != sum.last_region) {
      ++sum.calls;
    }
    sum.last_span = piece.span;
    sum.last_region = region_;
    if (Longer(piece, sum.longest)) sum.longest = piece;
  }

  NameNumbers numbers_;
  std::vector<Sum> sums_;
  size_t region_ = 0;
};

struct WorldPaths {
  const RegionWorld* at = nullptr;
  std::unique_ptr<Classifier> classifier;
  std::vector<PathEdge> last;  // edge of each region's path
  std::vector<std::unique_ptr<Sums>> sums;
};

void FindPath(WorldPaths& paths, size_t i, Sums& sums) {
  const CriticalRegion& region = paths.at->regions[i];
  const PathEdges edges(paths.at->world, region.bounds.start_ns);
  const std::vector<PathEdge> path = WalkCriticalPath(edges, region);
  if (path.empty()) return;
  paths.last[i] = path.back();
  sums.Begin(i);
  for (const PathEdge& edge : path) {
    CausePiece wait = paths.classifier->WaitOf(edge);
    if (wait.kind != CauseKind::kWork) {
      const PathGraph& graph = edges.graph(edge);
      const SpanTable& spans = graph.context->trace.spans;
      wait.from_ns = std::max(spans.start_ns[edge.call] + graph.offset_ns, edges.region_start_ns());
      wait.to_ns = std::max(wait.from_ns, edge.to_ns);
      wait.track = spans.track[edge.call];
      sums.AddWait(edge.graph, wait);
    }
    paths.classifier->ForEach(edges, edge,
                              [&](const CausePiece& piece) { sums.Add(edge.graph, piece); });
  }
}

WorldPaths FindPaths(const RegionWorld& at) {
  WorldPaths paths;
  paths.at = &at;
  paths.classifier = std::make_unique<Classifier>(at.world);
  paths.last.resize(at.regions.size());
  const unsigned workers = at.workers();
  for (unsigned worker = 0; worker < workers; ++worker) {
    paths.sums.push_back(std::make_unique<Sums>(at.world));
  }
  ForEachRegion(workers, at.regions.size(),
                [&](size_t worker, size_t i) { FindPath(paths, i, *paths.sums[worker]); });
  return paths;
}

// A cause before it is known what it saves, over all files.
struct Candidate {
  CauseKind kind = CauseKind::kWork;
  std::string_view name;
  int64_t path_ns = 0;
  int64_t potential_ns = 0;
  uint64_t calls = 0;
  uint64_t pieces = 0;
  const WorldPaths* paths = nullptr;  // where the longest piece is
  uint32_t graph = 0;
  CausePiece longest;
  std::map<uint32_t, int64_t> potential_of_file;
  std::vector<int64_t> savings_ns;  // by region, of all worlds
  int64_t saving_ns = 0;            // their sum
};

std::vector<Candidate> JoinSums(std::span<const WorldPaths> all) {
  std::map<std::pair<CauseKind, std::string_view>, Candidate> joined;
  for (const WorldPaths& paths : all) {
    for (const auto& sums : paths.sums) {
      for (const Sum& sum : sums->all()) {
        const PathGraph& graph = paths.at->world.graphs[sum.graph];
        const std::string_view name = graph.context->trace.Text(sum.name);
        Candidate& candidate = joined[{sum.kind, name}];
        candidate.kind = sum.kind;
        candidate.name = name;
        AddTo(candidate.path_ns, sum.path_ns);
        AddTo(candidate.potential_ns, sum.potential_ns);
        candidate.calls += sum.calls;
        candidate.pieces += sum.pieces;
        AddTo(candidate.potential_of_file[paths.at->world.file[sum.graph]], sum.potential_ns);
        if (candidate.paths == nullptr || Longer(sum.longest, candidate.longest)) {
          candidate.paths = &paths;
          candidate.graph = sum.graph;
          candidate.longest = sum.longest;
        }
      }
    }
  }
  std::vector<Candidate> candidates;
  for (auto& [key, candidate] : joined) candidates.push_back(std::move(candidate));
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.potential_ns > b.potential_ns;
  });
  return candidates;
}

// The rank that the others wait for: the one that most of the paths is on.
std::optional<uint32_t> LateGraph(const WorldPaths& paths) {
  const size_t graphs = paths.at->world.graphs.size();
  if (graphs < 2) return std::nullopt;
  std::vector<int64_t> time_ns(graphs, 0);
  for (const auto& sums : paths.sums) {
    for (const Sum& sum : sums->all()) AddTo(time_ns[sum.graph], sum.path_ns);
  }
  return static_cast<uint32_t>(std::ranges::max_element(time_ns) - time_ns.begin());
}

// Which candidates are gone in which cases.
class CandidateRelief : public Relief {
 public:
  // `cases_of[i]`: the cases in which candidate i is gone.
  CandidateRelief(const WorldPaths& paths, std::span<const Candidate> candidates,
                  std::vector<std::vector<uint32_t>> cases_of, uint32_t cases)
      : paths_(paths),
        numbers_(paths.at->world, kCauseKindCount),
        cases_of_(std::move(cases_of)),
        cases_(cases),
        late_(LateGraph(paths)) {
    const PathWorld& world = paths.at->world;
    for (uint32_t g = 0; g < world.graphs.size(); ++g) {
      const StringPool& strings = world.graphs[g].context->trace.strings;
      bool host = false;
      for (uint32_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].kind == CauseKind::kLateRank) {
          late_cases_ = cases_of_[i];
          continue;
        }
        const StringId name =
            candidates[i].name.empty() ? kNoString : strings.Find(candidates[i].name);
        if (!candidates[i].name.empty() && name == kNoString) continue;
        numbers_.At(g, static_cast<size_t>(candidates[i].kind), name) = i + 1;
        host = host || candidates[i].kind != CauseKind::kCopy;
      }
      frees_host_.push_back(host ? 1 : 0);
    }
  }

  [[nodiscard]] uint32_t cases() const override { return cases_; }

  void Of(const PathEdges& edges, const PathEdge& edge,
          std::vector<Saving>& savings) const override {
    const size_t first = savings.size();
    if (edge.meets) {
      for (const uint32_t freed : late_cases_) Add(savings, first, freed, kNotWaitedFor);
    }
    const CausePiece wait = paths_.classifier->WaitOf(edge);
    if (wait.kind != CauseKind::kWork) {
      for (const uint32_t freed : CasesOf(edge.graph, wait)) {
        Add(savings, first, freed, kNotWaitedFor);
      }
    }
    if (edge.kind == EdgeKind::kRun && frees_host_[edge.graph] == 0) return;
    paths_.classifier->ForEach(edges, edge, [&](const CausePiece& piece) {
      if (piece.avoidable_ns == 0) return;
      for (const uint32_t freed : CasesOf(edge.graph, piece)) {
        Add(savings, first, freed, piece.avoidable_ns);
      }
    });
  }

  void OfEnd(const PathEdges& edges, const PathEdge& edge,
             std::vector<Saving>& savings) const override {
    const size_t first = savings.size();
    Of(edges, edge, savings);
    if (late_ != edge.graph) return;
    for (const uint32_t freed : late_cases_) Add(savings, first, freed, kNotWaitedFor);
  }

 private:
  [[nodiscard]] std::span<const uint32_t> CasesOf(uint32_t graph, const CausePiece& piece) const {
    const uint32_t number = numbers_.Find(graph, static_cast<size_t>(piece.kind), piece.name);
    if (number == 0) return {};
    return cases_of_[number - 1];
  }
  // An edge has one saving a case.
  static void Add(std::vector<Saving>& savings, size_t first, uint32_t freed, int64_t saved_ns) {
    for (size_t i = first; i < savings.size(); ++i) {
      if (savings[i].freed != freed) continue;
      savings[i].duration_ns =
          std::min(kNotWaitedFor, savings[i].duration_ns + std::min(saved_ns, kNotWaitedFor));
      return;
    }
    savings.push_back({freed, saved_ns});
  }

  const WorldPaths& paths_;
  NameNumbers numbers_;  // candidate + 1
  std::vector<std::vector<uint32_t>> cases_of_;
  std::vector<uint32_t> late_cases_;
  uint32_t cases_;
  std::optional<uint32_t> late_;
  std::vector<uint8_t> frees_host_;  // by graph: some host time may be freed
};

// The duration of every region of all worlds in each case.
std::vector<std::vector<int64_t>> Replay(std::span<const WorldPaths> all,
                                         std::span<const Candidate> candidates,
                                         const std::vector<std::vector<uint32_t>>& cases_of,
                                         uint32_t cases) {
  std::vector<std::vector<int64_t>> durations;
  for (const WorldPaths& paths : all) {
    const RegionWorld& at = *paths.at;
    const CandidateRelief relief(paths, candidates, cases_of, cases);
    const unsigned workers = at.workers();
    std::vector<WhatIf> what_if;
    what_if.reserve(workers);
    for (unsigned worker = 0; worker < workers; ++worker) what_if.emplace_back(at.world, relief);
    const size_t first = durations.size();
    durations.resize(first + at.regions.size());
    ForEachRegion(workers, at.regions.size(), [&](size_t worker, size_t i) {
      durations[first + i] = what_if[worker].Durations(at.regions[i], paths.last[i]);
    });
  }
  return durations;
}

std::vector<int64_t> RegionDurations(std::span<const WorldPaths> all) {
  std::vector<int64_t> durations;
  for (const WorldPaths& paths : all) {
    for (const CriticalRegion& region : paths.at->regions) {
      durations.push_back(region.bounds.end_ns - region.bounds.start_ns);
    }
  }
  return durations;
}

// What each candidate saves, in one walk over the graphs; sorted by it.
void FindSavings(std::span<const WorldPaths> all, std::span<const int64_t> measured,
                 std::vector<Candidate>& candidates) {
  const auto cases = static_cast<uint32_t>(candidates.size()) + 1;
  std::vector<std::vector<uint32_t>> cases_of;
  for (uint32_t i = 1; i < cases; ++i) cases_of.push_back({i});
  const std::vector<std::vector<int64_t>> durations = Replay(all, candidates, cases_of, cases);
  for (size_t r = 0; r < durations.size(); ++r) {
    const int64_t error = durations[r][0] - measured[r];
    const bool known =
        static_cast<double>(std::abs(error)) <= kReplayError * static_cast<double>(measured[r]);
    for (size_t i = 0; i < candidates.size(); ++i) {
      const int64_t saved = known ? std::max<int64_t>(0, durations[r][0] - durations[r][i + 1]) : 0;
      candidates[i].savings_ns.push_back(saved);
      AddTo(candidates[i].saving_ns, saved);
    }
  }
  std::ranges::stable_sort(
      candidates, [](const Candidate& a, const Candidate& b) { return a.saving_ns > b.saving_ns; });
}

// The rank itself is a cause only where nothing that it does explains why it is late.
void SettleLateRank(std::vector<Candidate>& candidates, uint32_t file) {
  const auto late = std::ranges::find(candidates, CauseKind::kLateRank, &Candidate::kind);
  if (late == candidates.end()) return;
  int64_t explained_ns = 0;
  for (const Candidate& candidate : candidates) {
    const auto of_file = candidate.potential_of_file.find(file);
    if (candidate.kind == CauseKind::kLateRank || of_file == candidate.potential_of_file.end())
      continue;
    if (of_file->second > candidate.potential_ns / 2) AddTo(explained_ns, candidate.saving_ns);
  }
  const bool explained =
      static_cast<double>(explained_ns) >= kExplainsLateRank * static_cast<double>(late->saving_ns);
  if (explained) candidates.erase(late);
}

Cause CauseOf(const Candidate& candidate, bool joined, int64_t regions) {
  Cause cause;
  cause.kind = candidate.kind;
  cause.what = candidate.name;
  cause.path_ns = candidate.path_ns / regions;
  cause.calls = candidate.calls;
  cause.pieces = candidate.pieces;
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
  return cause;
}

uint64_t LaunchedWork(std::span<const WorldPaths> all) {
  uint64_t count = 0;
  for (const WorldPaths& paths : all) {
    for (const CriticalRegion& region : paths.at->regions) {
      for (const RegionLaunches& launches : region.launches) {
        const PathGraph& graph = paths.at->world.graphs[launches.graph];
        for (const PathStream& stream : graph.streams) {
          count += graph.FirstLaunchedFrom(stream, launches.window.end_ns) -
                   graph.FirstLaunchedFrom(stream, launches.window.start_ns);
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

// What is left with the first k causes gone.
void FindWhatIsLeft(std::span<const WorldPaths> all, std::span<const Candidate> candidates,
                    CausesReport& report) {
  const auto count = static_cast<uint32_t>(candidates.size());
  std::vector<std::vector<uint32_t>> cases_of(count);
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t k = i + 1; k <= count; ++k) cases_of[i].push_back(k);
  }
  std::vector<int64_t> left(count + 1, 0);
  if (count == 1) {
    left[1] = report.average_ns - *report.causes[0].saving_ns;
  } else {
    const auto durations = Replay(all, candidates, cases_of, count + 1);
    for (const std::vector<int64_t>& region : durations) {
      for (uint32_t k = 1; k <= count; ++k) AddTo(left[k], region[k]);
    }
    for (int64_t& sum : left) sum /= static_cast<int64_t>(durations.size());
  }
  for (uint32_t i = 0; i < count; ++i) report.causes[i].left_ns = left[i + 1];
}

}  // namespace

void CausesReport::SpeakOf(int64_t step_ns) {
  if (step_ns <= 0) return;
  for (Cause& cause : causes) {
    cause.left_ns = std::max<int64_t>(0, cause.left_ns - average_ns + step_ns);
    cause.share =
        static_cast<double>(cause.saving_ns.value_or(cause.path_ns)) / static_cast<double>(step_ns);
  }
  average_ns = step_ns;
}

CausesReport DescribeCauses(std::span<const TraceContext> files) {
  CausesReport report;
  const RegionWorlds worlds = FindRegionWorlds(files, "", 0);
  report.kind = worlds.kind;
  report.joined = worlds.joined;
  std::vector<WorldPaths> all;
  for (const RegionWorld& world : worlds.all) {
    all.push_back(FindPaths(world));
    report.records_graph = report.records_graph || all.back().classifier->records_graph();
    for (const PathGraph& graph : world.world.graphs) {
      report.has_device = report.has_device || !graph.work.empty();
    }
  }
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
  if (!candidates.empty()) FindSavings(all, measured, candidates);
  if (late_file) SettleLateRank(candidates, *late_file);
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
    if (cause.kind == CauseKind::kLaunchOverhead) cause.calls = LaunchedWork(all);
    if (cause.kind == CauseKind::kLateRank) cause.file = late_file;
  }
  if (said > 0) FindWhatIsLeft(all, candidates, report);
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
