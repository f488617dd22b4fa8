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
#include "analysis/causes/slow_steps.h"
#include "analysis/causes/unattributed.h"
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
// What costs so much of the slow steps' excess is the reason for it.
constexpr double kExplainsSlowSteps = 0.5;
// What one step would save so many times the mean is mostly in that one.
constexpr int64_t kFarMore = 2;
// Host code of which one function has so much is that function's.
constexpr double kMostOfIt = 0.5;
// One cause is as good as another if it saves this share of what the other one does …
constexpr double kAsMuch = 2.0 / 3;
// … and the better reason, if its longest piece is so many times as long.
constexpr int64_t kFarLonger = 5;
// Ranks whose own steps are shorter than this share of the common one begin far apart.
constexpr double kSameLength = 0.9;
// A graph that does not give its own regions back predicts nothing.
constexpr double kReplayError = 0.02;

struct Sum {
  uint32_t graph = 0;
  CauseKind kind = CauseKind::kWork;
  StringId name = kNoString;
  int64_t path_ns = 0;       // on the path
  int64_t potential_ns = 0;  // no more than this can be saved
  int64_t short_ns = 0;      // in short pieces
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
    const int64_t length = piece.to_ns - piece.from_ns;
    AddTo(sum.path_ns, length);
    if (length <= Classifier::kShortNs) AddTo(sum.short_ns, length);
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
  std::vector<RegionChain> chains;  // of the regions
  std::vector<std::unique_ptr<Sums>> sums;
};

// Adds the path through a chain of regions.
void FindPath(const WorldPaths& paths, const RegionChain& chain, Sums& sums) {
  const Classifier& classifier = *paths.classifier;
  const auto regions = std::span(paths.at->regions).subspan(chain.first, chain.last - chain.first);
  const PathEdges edges = EdgesOfChain(paths.at->world, regions.front());
  const std::vector<PathEdge> path = WalkCriticalPath(edges, JoinChain(regions));
  sums.Begin(chain.first);
  for (const PathEdge& edge : path) {
    CausePiece wait = classifier.WaitOf(edge);
    if (wait.kind != CauseKind::kWork) {
      const PathGraph& graph = edges.graph(edge);
      const SpanTable& spans = graph.context->trace.spans;
      wait.from_ns = std::max(spans.start_ns[edge.call] + graph.offset_ns, edges.region_start_ns());
      wait.to_ns = std::max(wait.from_ns, edge.to_ns);
      wait.track = spans.track[edge.call];
      sums.AddWait(edge.graph, wait);
    }
    classifier.ForEach(edges, edge, [&](const CausePiece& piece) { sums.Add(edge.graph, piece); });
  }
}

// Without a device, host code may be spread thin between the operators and take as long as they do:
// then it is what calling so many of them costs, and no single function's. True if some graph is
// such a one.
bool JoinShort(WorldPaths& paths) {
  const size_t graphs = paths.at->world.graphs.size();
  bool joined = false;
  for (uint32_t g = 0; g < graphs; ++g) {
    if (!paths.at->world.graphs[g].work.empty()) continue;
    int64_t work_ns = 0;
    int64_t code_ns = 0;
    int64_t short_ns = 0;
    std::map<StringId, int64_t> named_ns;
    for (const auto& sums : paths.sums) {
      for (const Sum& sum : sums->all()) {
        if (sum.graph != g) continue;
        if (sum.kind == CauseKind::kWork) AddTo(work_ns, sum.path_ns);
        if (sum.kind != CauseKind::kHostCode) continue;
        AddTo(code_ns, sum.path_ns);
        AddTo(short_ns, sum.short_ns);
        if (sum.name != kNoString) AddTo(named_ns[sum.name], sum.path_ns);
      }
    }
    const auto part = [](int64_t ns, double share, int64_t whole) {
      return static_cast<double>(ns) >= share * static_cast<double>(whole);
    };
    const bool of_one = std::ranges::any_of(
        named_ns, [&](const auto& entry) { return part(entry.second, kMostOfIt, code_ns); });
    if (of_one || !part(short_ns, kMostOfIt, code_ns) || short_ns < work_ns) continue;
    paths.classifier->JoinShort(g);
    joined = true;
  }
  return joined;
}

void SumPaths(WorldPaths& paths) {
  const RegionWorld& at = *paths.at;
  const unsigned workers = at.workers();
  paths.sums.clear();
  for (unsigned worker = 0; worker < workers; ++worker) {
    paths.sums.push_back(std::make_unique<Sums>(at.world));
  }
  ForEachRegion(workers, paths.chains.size(), [&](size_t worker, size_t i) {
    FindPath(paths, paths.chains[i], *paths.sums[worker]);
  });
}

WorldPaths FindPaths(const RegionWorld& at) {
  WorldPaths paths;
  paths.at = &at;
  paths.classifier = std::make_unique<Classifier>(at.world);
  paths.chains = ChainRegions(at.regions);
  SumPaths(paths);
  if (JoinShort(paths)) SumPaths(paths);
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
  int64_t more_ns = 0;              // kSlowSteps: of `name` in the slowest, beyond the typical one
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
        // No time of its own: it is other steps that say what is left.
        if (candidates[i].kind == CauseKind::kSlowSteps) continue;
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
    ForEachRegion(workers, paths.chains.size(), [&](size_t worker, size_t i) {
      const RegionChain& chain = paths.chains[i];
      auto found = what_if[worker].Durations(
          std::span(at.regions).subspan(chain.first, chain.last - chain.first));
      std::ranges::move(found,
                        durations.begin() + static_cast<std::ptrdiff_t>(first + chain.first));
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

// Behind a delay a device runs dry, and whatever brings the host forward fills the hole: the delay,
// or as well all launches before it. What is made of many small pieces and saves as much as another
// cause of a few long ones is no second reason: it has what it saves when the other one is gone.
void SettleSubstitutes(std::span<const WorldPaths> all, std::vector<Candidate>& candidates) {
  const auto longest = [](const Candidate& candidate) {
    return candidate.longest.to_ns - candidate.longest.from_ns;
  };
  std::vector<std::pair<size_t, size_t>> pairs;  // (the substitute, for what)
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].saving_ns <= 0 || candidates[i].potential_ns <= 0) continue;
    const Candidate* better = nullptr;
    for (const Candidate& other : candidates) {
      const bool saves_as_much = static_cast<double>(other.saving_ns) >=
                                 kAsMuch * static_cast<double>(candidates[i].saving_ns);
      if (other.potential_ns <= 0 || !saves_as_much ||
          longest(other) < kFarLonger * longest(candidates[i])) {
        continue;
      }
      if (better == nullptr || longest(other) > longest(*better)) better = &other;
    }
    if (better != nullptr) pairs.emplace_back(i, static_cast<size_t>(better - candidates.data()));
  }
  if (pairs.empty()) return;
  // Two cases a pair: without the one, and without both.
  std::vector<std::vector<uint32_t>> cases_of(candidates.size());
  for (uint32_t p = 0; p < pairs.size(); ++p) {
    const uint32_t without = 2 * p + 1;
    cases_of[pairs[p].second].insert(cases_of[pairs[p].second].end(), {without, without + 1});
    cases_of[pairs[p].first].push_back(without + 1);
  }
  const auto durations =
      Replay(all, candidates, cases_of, static_cast<uint32_t>(2 * pairs.size()) + 1);
  for (uint32_t p = 0; p < pairs.size(); ++p) {
    Candidate& substitute = candidates[pairs[p].first];
    substitute.saving_ns = 0;
    for (size_t r = 0; r < durations.size(); ++r) {
      int64_t& saved = substitute.savings_ns[r];
      saved = std::clamp<int64_t>(durations[r][2 * p + 1] - durations[r][2 * p + 2], 0, saved);
      AddTo(substitute.saving_ns, saved);
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

// The world's regions among those of all worlds.
struct WorldRegions {
  const WorldPaths* paths = nullptr;
  size_t first = 0;
  SlowSteps slow;
};

std::vector<WorldRegions> SlowStepsOf(std::span<const WorldPaths> all,
                                      std::span<const int64_t> measured) {
  std::vector<WorldRegions> found;
  size_t first = 0;
  for (const WorldPaths& paths : all) {
    const size_t count = paths.at->regions.size();
    found.push_back({&paths, first, FindSlowSteps(measured.subspan(first, count))});
    first += count;
  }
  return found;
}

// What the slowest step has more of on its path than the typical one.
void NameSlowSteps(const WorldRegions& world, Candidate& candidate) {
  const PathWorld& graphs = world.paths->at->world;
  Sums slow(graphs);
  Sums usual(graphs);
  FindPath(*world.paths, {world.slow.slowest, world.slow.slowest + 1}, slow);
  FindPath(*world.paths, {world.slow.typical, world.slow.typical + 1}, usual);
  const auto less = [&](const Sum& sum) {
    for (const Sum& other : usual.all()) {
      if (other.graph == sum.graph && other.kind == sum.kind && other.name == sum.name) {
        return other.path_ns;
      }
    }
    return int64_t{0};
  };
  for (const Sum& sum : slow.all()) {
    const int64_t more = sum.path_ns - less(sum);
    if (more <= candidate.more_ns || sum.name == kNoString) continue;
    candidate.more_ns = more;
    candidate.graph = sum.graph;
    candidate.longest = sum.longest;
    candidate.paths = world.paths;
    candidate.name = graphs.graphs[sum.graph].context->trace.Text(sum.name);
  }
}

// Steps that take longer than the typical one are a cause only where no cause explains it.
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

// The name of the region that would save most, where that is far more than the others would.
std::string WorstRegion(std::span<const WorldPaths> all, const Candidate& candidate,
                        int64_t mean_ns) {
  const auto most = std::ranges::max_element(candidate.savings_ns);
  if (candidate.savings_ns.size() < 2 || *most < kFarMore * mean_ns) return "";
  auto at = static_cast<size_t>(most - candidate.savings_ns.begin());
  for (const WorldPaths& paths : all) {
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

void AddUnattributed(std::span<const TraceContext> files, CausesReport& report) {
  UnattributedWork sum;
  for (const TraceContext& file : files) {
    const UnattributedWork found = FindUnattributedWork(file.trace, file.tree, file.links);
    AddTo(sum.device_ns, found.device_ns);
    AddTo(sum.graph_ns, found.graph_ns);
    AddTo(sum.no_launch_ns, found.no_launch_ns);
  }
  report.graph_share = sum.GraphShare();
  report.no_launch_share = sum.NoLaunchShare();
}

// What is left with the first k causes gone.
void FindWhatIsLeft(std::span<const WorldPaths> all, std::span<const WorldRegions> worlds,
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
    auto durations = Replay(all, candidates, cases_of, count + 1);
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
  std::vector<WorldPaths> all;
  for (const RegionWorld& world : worlds.all) {
    all.push_back(FindPaths(world));
    report.records_graph = report.records_graph || all.back().classifier->records_graph();
    for (const PathGraph& graph : world.world.graphs) {
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
  if (!candidates.empty()) FindSavings(all, measured, candidates);
  SettleSubstitutes(all, candidates);
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
  if (said > 0) FindWhatIsLeft(all, slow, candidates, report);
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
