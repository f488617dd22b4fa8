// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/path_sums.h"

#include <algorithm>
#include <map>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

// Host code of which one function has so much is that function's.
constexpr double kMostOfIt = 0.5;
// Operators are small if calling them costs so much of what they compute.
constexpr double kSmallWork = 0.5;

// A function that runs before and after a region is the loop itself: it names nothing of it. The
// regions are in order of time.
bool IsAroundRegion(const PathGraph& graph, SpanRow span, std::span<const CriticalRegion> regions) {
  if (span == kNoRow) return false;
  const SpanTable& spans = graph.context->trace.spans;
  const int64_t start = spans.start_ns[span] + graph.offset_ns;
  const auto first = std::ranges::partition_point(
      regions, [&](const CriticalRegion& region) { return region.bounds.start_ns <= start; });
  return first != regions.end() && first->bounds.end_ns < spans.end_ns(span) + graph.offset_ns;
}

bool IsAnnotation(const PathGraph& graph, SpanRow span) {
  return span != kNoRow && graph.context->trace.spans.category[span] == Category::kAnnotation;
}

// Without a device, host code may be spread thin between small operators: then it is what calling
// so many of them costs, and no single function's. What is in an annotation has its name from
// there. True if some graph is such a one.
bool JoinShort(CausePaths& paths) {
  const size_t graphs = paths.at->world.graphs.size();
  bool joined = false;
  for (uint32_t g = 0; g < graphs; ++g) {
    if (!paths.at->world.graphs[g].work.empty()) continue;
    int64_t work_ns = 0;
    int64_t code_ns = 0;
    int64_t short_ns = 0;
    std::map<StringId, int64_t> named_ns;
    for (const auto& sums : paths.sums) {
      for (const PieceSum& sum : sums->all()) {
        if (sum.graph != g) continue;
        if (sum.kind == CauseKind::kWork) AddTo(work_ns, sum.path_ns);
        if (sum.kind != CauseKind::kHostCode) continue;
        AddTo(code_ns, sum.path_ns);
        const PathGraph& graph = paths.at->world.graphs[g];
        if (!IsAnnotation(graph, sum.longest.span)) AddTo(short_ns, sum.short_ns);
        if (sum.name != kNoString && !IsAroundRegion(graph, sum.longest.span, paths.at->regions)) {
          AddTo(named_ns[sum.name], sum.path_ns);
        }
      }
    }
    const auto part = [](int64_t ns, double share, int64_t whole) {
      return static_cast<double>(ns) >= share * static_cast<double>(whole);
    };
    const bool of_one = std::ranges::any_of(
        named_ns, [&](const auto& entry) { return part(entry.second, kMostOfIt, code_ns); });
    if (of_one || !part(short_ns, kMostOfIt, code_ns) || !part(short_ns, kSmallWork, work_ns)) {
      continue;
    }
    paths.classifier->JoinShort(g);
    joined = true;
  }
  return joined;
}

void SumPaths(CausePaths& paths) {
  const RegionWorld& at = *paths.at;
  const unsigned workers = at.workers();
  paths.sums.clear();
  for (unsigned worker = 0; worker < workers; ++worker) {
    paths.sums.push_back(std::make_unique<PieceSums>(at.world));
  }
  ForEachRegion(workers, paths.chains.size(), [&](size_t worker, size_t i) {
    SumPath(paths, paths.chains[i], *paths.sums[worker]);
  });
}

}  // namespace

bool Longer(const CausePiece& a, const CausePiece& b) {
  const int64_t first = a.to_ns - a.from_ns;
  const int64_t second = b.to_ns - b.from_ns;
  return first != second ? first > second : a.from_ns < b.from_ns;
}

void PieceSums::Add(uint32_t graph, const CausePiece& piece) {
  PieceSum& sum = At(graph, piece);
  const int64_t length = piece.to_ns - piece.from_ns;
  AddTo(sum.path_ns, length);
  if (length <= Classifier::kShortNs) AddTo(sum.short_ns, length);
  AddTo(sum.potential_ns, piece.avoidable_ns);
  Count(sum, piece);
}

void PieceSums::AddWait(uint32_t graph, const CausePiece& wait) {
  PieceSum& sum = At(graph, wait);
  AddTo(sum.potential_ns, wait.to_ns - wait.from_ns);
  Count(sum, wait);
}

PieceSum& PieceSums::At(uint32_t graph, const CausePiece& piece) {
  uint32_t& number = numbers_.At(graph, static_cast<size_t>(piece.kind), piece.name);
  if (number == 0) {
    PieceSum sum;
    sum.graph = graph;
    sum.kind = piece.kind;
    sum.name = piece.name;
    sums_.push_back(sum);
    number = static_cast<uint32_t>(sums_.size());
  }
  return sums_[number - 1];
}

void PieceSums::Count(PieceSum& sum, const CausePiece& piece) const {
  ++sum.pieces;
  if (piece.span == kNoRow || piece.span != sum.last_span || region_ != sum.last_region) {
    ++sum.calls;
  }
  sum.last_span = piece.span;
  sum.last_region = region_;
  if (Longer(piece, sum.longest)) sum.longest = piece;
}

std::vector<int64_t> RegionDurations(std::span<const CausePaths> all) {
  std::vector<int64_t> durations;
  for (const CausePaths& paths : all) {
    for (const CriticalRegion& region : paths.at->regions) {
      durations.push_back(region.bounds.end_ns - region.bounds.start_ns);
    }
  }
  return durations;
}

void SumPath(const CausePaths& paths, const RegionChain& chain, PieceSums& sums) {
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

CausePaths FindCausePaths(const RegionWorld& at) {
  CausePaths paths;
  paths.at = &at;
  paths.classifier = std::make_unique<Classifier>(at.world);
  paths.chains = ChainRegions(at.regions);
  SumPaths(paths);
  if (JoinShort(paths)) SumPaths(paths);
  return paths;
}

}  // namespace telltale
