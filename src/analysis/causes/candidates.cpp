// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/candidates.h"

#include <algorithm>
#include <utility>

#include "analysis/core/sums.h"

namespace telltale {

std::vector<Candidate> JoinSums(std::span<const CausePaths> all) {
  std::map<std::pair<CauseKind, std::string_view>, Candidate> joined;
  for (const CausePaths& paths : all) {
    for (const auto& sums : paths.sums) {
      for (const PieceSum& sum : sums->all()) {
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

std::optional<uint32_t> LateGraph(const CausePaths& paths) {
  const size_t graphs = paths.at->world.graphs.size();
  if (graphs < 2) return std::nullopt;
  std::vector<int64_t> time_ns(graphs, 0);
  for (const auto& sums : paths.sums) {
    for (const PieceSum& sum : sums->all()) AddTo(time_ns[sum.graph], sum.path_ns);
  }
  return static_cast<uint32_t>(std::ranges::max_element(time_ns) - time_ns.begin());
}
}  // namespace telltale
