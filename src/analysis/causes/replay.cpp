// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/replay.h"

#include <algorithm>
#include <utility>

#include "analysis/critical_path/what_if.h"
#include "base/parallel.h"

namespace telltale {

// Which candidates are gone in which cases; for one worker.
class CandidateRelief : public Relief {
 public:
  using World = CandidateReplay::World;
  using Freed = CandidateReplay::Freed;
  using ChainRecord = CandidateReplay::ChainRecord;

  // Where in a chain a walk is.
  struct Place {
    ChainRecord* record = nullptr;
    size_t edge = 0;
  };

  // `cases_of[i]`: the cases in which the candidate of number i is gone.
  CandidateRelief(const World& world, std::optional<uint32_t> late_rank, Place& place,
                  const std::vector<std::vector<uint32_t>>& cases_of, uint32_t cases)
      : world_(world), late_rank_(late_rank), place_(place), cases_of_(cases_of), cases_(cases) {}

  [[nodiscard]] uint32_t cases() const override { return cases_; }

  void Of(const PathEdges& edges, const PathEdge& edge,
          std::vector<Saving>& savings) const override {
    Tell(edges, edge, false, savings);
  }
  void OfEnd(const PathEdges& edges, const PathEdge& edge,
             std::vector<Saving>& savings) const override {
    Tell(edges, edge, true, savings);
  }

 private:
  void Tell(const PathEdges& edges, const PathEdge& edge, bool ends,
            std::vector<Saving>& savings) const {
    ChainRecord& record = *place_.record;
    if (!record.complete) {
      Judge(edges, edge, ends, record.freed);
      record.last.push_back(static_cast<uint32_t>(record.freed.size()));
    }
    const size_t first = savings.size();
    const size_t begin = place_.edge == 0 ? 0 : record.last[place_.edge - 1];
    for (size_t i = begin; i < record.last[place_.edge]; ++i) {
      for (const uint32_t freed : cases_of_[record.freed[i].candidate]) {
        Add(savings, first, {freed, record.freed[i].duration_ns}, &Saving::freed);
      }
    }
    ++place_.edge;
  }

  void Judge(const PathEdges& edges, const PathEdge& edge, bool ends,
             std::vector<Freed>& all) const {
    const size_t first = all.size();
    const Classifier& classifier = *world_.paths->classifier;
    const auto add = [&](const CausePiece& piece, int64_t saved_ns) {
      const uint32_t number =
          world_.numbers.Find(edge.graph, static_cast<size_t>(piece.kind), piece.name);
      if (number != 0) Add(all, first, {number - 1, saved_ns}, &Freed::candidate);
    };
    // Nobody waits for the late rank, and the region need not end with it.
    if (late_rank_ && (edge.meets || (ends && world_.late == edge.graph))) {
      all.push_back({*late_rank_, kNotWaitedFor});
    }
    const CausePiece wait = classifier.WaitOf(edge);
    if (wait.kind != CauseKind::kWork) add(wait, kNotWaitedFor);
    if (edge.kind == EdgeKind::kRun && world_.frees_host[edge.graph] == 0) return;
    classifier.ForEach(edges, edge, [&](const CausePiece& piece) {
      if (piece.avoidable_ns > 0) add(piece, piece.avoidable_ns);
    });
  }

  // An edge has one entry for each candidate, or case.
  template <typename Entry>
  static void Add(std::vector<Entry>& all, size_t first, Entry entry, uint32_t Entry::* whose) {
    for (size_t i = first; i < all.size(); ++i) {
      if (all[i].*whose != entry.*whose) continue;
      all[i].duration_ns =
          std::min(kNotWaitedFor, all[i].duration_ns + std::min(entry.duration_ns, kNotWaitedFor));
      return;
    }
    all.push_back(entry);
  }

  const World& world_;
  std::optional<uint32_t> late_rank_;
  Place& place_;
  const std::vector<std::vector<uint32_t>>& cases_of_;
  uint32_t cases_;
};

CandidateReplay::CandidateReplay(std::span<const CausePaths> all, std::span<Candidate> candidates,
                                 unsigned threads)
    : threads_(threads) {
  for (Candidate& candidate : candidates) {
    if (candidate.kind == CauseKind::kLateRank) late_rank_ = candidates_;
    candidate.number = candidates_++;
  }
  for (const CausePaths& paths : all) {
    const PathWorld& graphs = paths.at->world;
    World world{&paths, NameNumbers(graphs, kCauseKindCount), LateGraph(paths), {}, {}};
    for (uint32_t g = 0; g < graphs.graphs.size(); ++g) {
      const StringPool& strings = graphs.graphs[g].context->trace.strings;
      bool host = false;
      for (const Candidate& candidate : candidates) {
        if (candidate.kind == CauseKind::kLateRank) continue;
        const StringId name = candidate.name.empty() ? kNoString : strings.Find(candidate.name);
        if (!candidate.name.empty() && name == kNoString) continue;
        world.numbers.At(g, static_cast<size_t>(candidate.kind), name) = *candidate.number + 1;
        host = host || candidate.kind != CauseKind::kCopy;
      }
      world.frees_host.push_back(host ? 1 : 0);
    }
    world.records.resize(paths.chains.size());
    worlds_.push_back(std::move(world));
  }
}

std::vector<std::vector<int64_t>> CandidateReplay::Durations(
    std::span<const Candidate> candidates, const std::vector<std::vector<uint32_t>>& cases_of,
    uint32_t cases) {
  std::vector<std::vector<uint32_t>> by_number(candidates_);
  for (size_t i = 0; i < candidates.size(); ++i) {
    // One without a number has no time of its own.
    if (candidates[i].number) by_number[*candidates[i].number] = cases_of[i];
  }
  std::vector<size_t> first_region;  // of each world
  size_t regions = 0;
  for (const World& world : worlds_) {
    first_region.push_back(regions);
    regions += world.paths->at->regions.size();
  }
  std::vector<std::vector<int64_t>> durations(regions);
  ForEachOnThreads(threads_, worlds_.size(), [&](size_t w) {
    Walk(worlds_[w], by_number, cases, std::span(durations).subspan(first_region[w]));
  });
  return durations;
}

void CandidateReplay::Walk(World& world, const std::vector<std::vector<uint32_t>>& cases_of,
                           uint32_t cases, std::span<std::vector<int64_t>> durations) const {
  const RegionWorld& at = *world.paths->at;
  const std::vector<RegionChain>& chains = world.paths->chains;
  const unsigned workers = at.workers();
  std::vector<CandidateRelief::Place> places(workers);
  std::vector<CandidateRelief> reliefs;
  std::vector<WhatIf> what_if;
  reliefs.reserve(workers);
  what_if.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) {
    reliefs.emplace_back(world, late_rank_, places[worker], cases_of, cases);
    what_if.emplace_back(at.world, reliefs[worker]);
  }
  ForEachRegion(workers, chains.size(), [&](size_t worker, size_t i) {
    const RegionChain& chain = chains[i];
    places[worker] = {&world.records[i], 0};
    auto found = what_if[worker].Durations(
        std::span(at.regions).subspan(chain.first, chain.last - chain.first));
    world.records[i].complete = true;
    std::ranges::move(found, durations.begin() + static_cast<std::ptrdiff_t>(chain.first));
  });
}

}  // namespace telltale
