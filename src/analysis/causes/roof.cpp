// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/roof.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/core/sums.h"
#include "analysis/critical_path/what_if.h"

namespace telltale {

namespace {

// A replay costs memory and time for each.
constexpr size_t kMostOperators = 8;

// The rows of an operator that are bound by one thing.
struct Operator {
  int64_t time_ns = 0;
  int64_t lost_ns = 0;
  uint64_t calls = 0;
  std::vector<const RooflineRow*> rows;
};

// What of which device event is above the roof, and whose.
class RoofRelief : public Relief {
 public:
  RoofRelief(const PathWorld& world, std::span<const std::vector<const RooflineRow*>> operators)
      : cases_(static_cast<uint32_t>(operators.size()) + 1) {
    excess_.resize(world.graphs.size());
    for (size_t g = 0; g < world.graphs.size(); ++g) {
      excess_[g].resize(world.graphs[g].context->trace.spans.size());
      for (uint32_t i = 0; i < operators.size(); ++i) {
        for (const RooflineRow* row : operators[i]) Mark(*row, world.file[g], i + 1, excess_[g]);
      }
    }
  }

  [[nodiscard]] uint32_t cases() const override { return cases_; }
  void Of(const PathEdges& edges, const PathEdge& edge,
          std::vector<Saving>& savings) const override {
    if (edge.kind != EdgeKind::kWork) return;
    const Excess& excess = excess_[edge.graph][edges.graph(edge).work[edge.work].span];
    const int64_t ran = edge.work_end_ns - edge.from_ns;
    if (excess.of == 0 || ran <= 0) return;
    savings.push_back({excess.of, static_cast<int64_t>(static_cast<double>(ran) * excess.part)});
  }

 private:
  struct Excess {
    uint32_t of = 0;  // the case; 0: none
    float part = 0;
  };

  static void Mark(const RooflineRow& row, uint32_t file, uint32_t of, Column<Excess>& excess) {
    const auto part =
        static_cast<float>(static_cast<double>(*row.lost_ns) / static_cast<double>(row.time_ns));
    for (const RooflineEvent& event : row.events) {
      if (event.file == file) excess[event.span] = {of, part};
    }
  }

  uint32_t cases_;
  std::vector<Column<Excess>> excess_;  // by graph, then span
};

// The regions' durations in each case, added up.
void Replay(const RegionWorld& at, const RoofRelief& relief, std::vector<int64_t>& totals) {
  const unsigned workers = at.workers();
  std::vector<WhatIf> what_if;
  what_if.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) what_if.emplace_back(at.world, relief);
  std::vector<std::vector<int64_t>> durations(at.regions.size());
  const std::vector<RegionChain> chains = ChainRegions(at.regions);
  ForEachRegion(workers, chains.size(), [&](size_t worker, size_t i) {
    const RegionChain& chain = chains[i];
    auto found = what_if[worker].Durations(
        std::span(at.regions).subspan(chain.first, chain.last - chain.first));
    std::ranges::move(found, durations.begin() + static_cast<std::ptrdiff_t>(chain.first));
  });
  for (const std::vector<int64_t>& region : durations) {
    for (size_t k = 0; k < region.size(); ++k) AddTo(totals[k], region[k]);
  }
}

}  // namespace

std::vector<WorkSaving> SavingsToTheRoof(const RegionWorlds& worlds,
                                         std::span<const RooflineRow> rows) {
  std::map<std::pair<std::string, RooflineBound>, Operator> operators;
  for (const RooflineRow& row : rows) {
    if (!row.bound || row.lost_ns.value_or(0) <= 0 || row.events.empty()) continue;
    Operator& found = operators[{row.name, *row.bound}];
    AddTo(found.time_ns, row.time_ns);
    AddTo(found.lost_ns, *row.lost_ns);
    found.calls += row.calls;
    found.rows.push_back(&row);
  }
  std::vector<std::pair<const std::pair<std::string, RooflineBound>, Operator>*> most;
  for (auto& entry : operators) most.push_back(&entry);
  std::ranges::stable_sort(
      most, [](const auto* a, const auto* b) { return a->second.lost_ns > b->second.lost_ns; });
  most.resize(std::min(most.size(), kMostOperators));
  std::vector<std::vector<const RooflineRow*>> of_case;
  for (const auto* entry : most) of_case.push_back(entry->second.rows);
  std::vector<int64_t> totals(most.size() + 1, 0);
  int64_t regions = 0;
  for (const RegionWorld& world : worlds.all) {
    if (most.empty()) break;
    Replay(world, RoofRelief(world.world, of_case), totals);
    regions += static_cast<int64_t>(world.regions.size());
  }
  std::vector<WorkSaving> savings;
  for (size_t i = 0; i < most.size() && regions > 0; ++i) {
    const Operator& found = most[i]->second;
    WorkSaving saving;
    saving.name = most[i]->first.first;
    saving.bound = most[i]->first.second;
    saving.average_ns = totals[0] / regions;
    saving.saving_ns = std::max<int64_t>(0, totals[0] - totals[i + 1]) / regions;
    if (saving.average_ns > 0) {
      saving.share = static_cast<double>(saving.saving_ns) / static_cast<double>(saving.average_ns);
    }
    saving.roof_share = 1 - static_cast<double>(found.lost_ns) / static_cast<double>(found.time_ns);
    saving.calls = found.calls;
    savings.push_back(std::move(saving));
  }
  std::ranges::stable_sort(
      savings, [](const WorkSaving& a, const WorkSaving& b) { return a.saving_ns > b.saving_ns; });
  return savings;
}

}  // namespace telltale
